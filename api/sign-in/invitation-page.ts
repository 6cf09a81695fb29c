import { effect } from '../../db/engine/effect.ts';
import { acceptInvitation, findInvitationByToken, type InvitationView } from '../../db/invitations/invitations.ts';
import { Problem } from '../../domain/problems.ts';
import { type Html, html } from '../../pages/html.ts';
import { page } from '../../pages/page.ts';
import { time } from '../../pages/time.ts';
import { beginSignIn } from '../auth/begin-sign-in.ts';
import { authorOf, type PageRoutes } from './visitor.ts';

/** The page behind the link of an invitation. */
export function invitationPage({ server, get, post }: PageRoutes): void {
  const { database, provider } = server;

  async function invitationOf(token: string): Promise<InvitationView> {
    const found = /^[A-Za-z0-9_-]{1,128}$/.test(token)
      ? await findInvitationByToken(database.kysely, token)
      : undefined;
    if (found !== undefined) return found;
    throw new Problem('not-found', 'There is no such invitation, or it was revoked; ask the person who invited you.');
  }

  get('/invitations/:token', async ({ parameter, session }) => {
    const token = parameter('token');
    const invitation = await invitationOf(token);
    const email = (await session())?.user.email;
    return {
      page: page({
        title: `Invitation to ${invitation.organizationName}`,
        body: body(invitation, token, email),
        scripts: ['times.js'],
      }),
    };
  });

  post('/invitations/:token', async (visitor) => {
    const token = visitor.parameter('token');
    const invitation = await invitationOf(token);
    const session = await visitor.session();
    if (session !== undefined && isFor(invitation, session.user.email)) {
      await effect(database, authorOf(visitor, session), async (running) => {
        await acceptInvitation(running, { token, user: session.user });
      });
      return { to: '/' };
    }
    refuseOver(invitation);
    await provider.configuration();
    return { to: await beginSignIn(server, visitor.client, { returnTo: '/', invitationId: invitation.id }) };
  });
}

function body(invitation: InvitationView, token: string, signedInAs: string | undefined): Html {
  const { organizationName, invitedByName, role, email, expiresAt, acceptedAt, expired, requireMfa } = invitation;
  const open = acceptedAt === null && !expired;
  return html`<h1>${organizationName}</h1>
<p><strong>${invitedByName}</strong> invites you to the organization <strong>${organizationName}</strong>, with the role <strong>${role}</strong>.</p>
<p>The invitation is for <strong>${email}</strong> and can be accepted until ${time(expiresAt)}.</p>
${requireMfa && open ? html`<p>The organization requires a second factor when you sign in.</p>` : ''}
${open ? '' : html`<p class="alert">${acceptedAt === null ? 'It has expired; ask for another one.' : 'It was accepted already.'}</p>`}
${open && signedInAs !== undefined && !isFor(invitation, signedInAs) ? html`<p class="alert">You are signed in as ${signedInAs}, which is another address: sign in as ${email} to accept.</p>` : ''}
${open ? html`<form method="post" action="/invitations/${token}"><button type="submit">${signedInAs !== undefined && isFor(invitation, signedInAs) ? 'Accept' : 'Sign in and accept'}</button></form>` : html`<p class="actions"><a class="button" href="/">Go to Ballast</a></p>`}`;
}

function isFor(invitation: InvitationView, email: string): boolean {
  return invitation.email.toLowerCase() === email.toLowerCase();
}

function refuseOver({ acceptedAt, expired }: InvitationView): void {
  if (acceptedAt !== null) {
    throw new Problem('invitation-over', 'This invitation was accepted already; sign in to see the organization.');
  }
  if (expired) {
    throw new Problem(
      'invitation-over',
      'This invitation has expired; ask the person who invited you to send it again.',
    );
  }
}
