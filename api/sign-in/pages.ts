import { type Effect, effect } from '../../db/engine/effect.ts';
import { acceptInvitation, type InvitationView } from '../../db/invitations/invitations.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import { attemptOfBrowser } from '../../db/sign-in/sign-in-attempts.ts';
import { findSignInLinkBySecret, ownerExists, useSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { Problem } from '../../domain/problems.ts';
import { type Html, html } from '../../pages/html.ts';
import { page } from '../../pages/page.ts';
import { time } from '../../pages/time.ts';
import { beginSignIn } from '../auth/begin-sign-in.ts';
import { noteRefusal } from '../auth/callback.ts';
import { Refusal } from '../auth/refusal.ts';
import { isOurPath } from '../auth/return-to.ts';
import type { Client } from '../engine/pipeline/client.ts';
import { invitationOf } from '../invitations/operations.ts';
import { authorOf, type PageRoutes } from './visitor.ts';

/** The page behind the link of an invitation. */
export function invitationPage({ server, get, post }: PageRoutes): void {
  const { database, provider } = server;

  get('/invitations/:token', async ({ parameter, session }) => {
    const token = parameter('token');
    const invitation = await invitationOf(database.kysely, token);
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
    const invitation = await invitationOf(database.kysely, token);
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

/** A link that this browser used up for a sign-in which it has not finished: its tab was closed, and it is opened again. */
async function usedHere({ kysely }: Effect, client: Client, code: string): Promise<{ id: string } | undefined> {
  const cookie = client.cookie('svc_oidc');
  const begun = cookie === undefined ? undefined : await attemptOfBrowser(kysely, hashSecret(cookie));
  const link = begun?.link === undefined ? undefined : await findSignInLinkBySecret(kysely, code);
  return link !== undefined && link.id === begun?.link?.id ? link : undefined;
}

/**
 * Uses up a link that the command line printed. Its code stands behind the # of the address, which is sent to no server:
 * it arrives by this form alone, so programs that follow links in advance do not use it up.
 */
export function linkPage({ server, get, post }: PageRoutes): void {
  const { database, provider } = server;

  get('/sign-in-link', async () => ({
    page: page({
      title: 'Sign-in link',
      scripts: ['code-from-fragment.js'],
      body: html`<h1>Your sign-in link</h1>
<p>The link works once, for 15 minutes after it was printed.</p>
<form method="post" action="/sign-in-link"><div class="field">
<label for="code">Code</label><input id="code" name="code" required autocomplete="off" spellcheck="false" maxlength="128">
<p class="hint">It is the part of the link after the #.</p></div>
<button type="submit">Continue</button></form>`,
    }),
  }));

  post('/sign-in-link', async (visitor) => {
    const { client, field } = visitor;
    // While the provider is away the link stays good.
    await provider.configuration();
    const code = field('code').trim().replace(/^.*#/, '');
    try {
      const to = await effect(database, authorOf(visitor, undefined), async (running) => {
        const isCode = /^[A-Za-z0-9_-]{1,128}$/.test(code);
        const link = isCode
          ? ((await useSignInLink(running, code)) ?? (await usedHere(running, client, code)))
          : undefined;
        if (link === undefined) {
          throw new Refusal(
            'link',
            'This link is no longer valid: it was used, expired after 15 minutes, was not copied completely, or was meant for the first owner, and there is one now. `ballast sign-in-link` prints another one.',
          );
        }
        return await beginSignIn(server, client, { returnTo: '/', signInLinkId: link.id }, running.kysely);
      });
      return { to };
    } catch (error) {
      if (error instanceof Refusal) await noteRefusal(server, client, error);
      throw error;
    }
  });
}

/** Where people come in, and where they are when they have gone out. */
export function signInPages({ server, get }: PageRoutes): void {
  const { database, provider, settings } = server;

  get('/sign-in', async ({ query }) => {
    const wanted = query('return_to') ?? '/';
    const returnTo = isOurPath(wanted, settings.PUBLIC_URL) ? wanted : '/';
    const owned = await ownerExists(database.kysely);
    const who = provider.builtIn
      ? 'with your account of this installation'
      : html`with ${provider.name}, at <code>${new URL(provider.issuer).host}</code>`;
    return {
      page: page({
        title: 'Sign in',
        body: html`<h1>Sign in</h1>
<p>${owned ? html`You sign in ${who}.` : html`This installation has no owner yet: open the sign-in link that was printed when it was started. <code>ballast sign-in-link</code> prints another one. An account that you created with it can sign in.`}</p>
<form method="get" action="/api/v1/auth/start"><input type="hidden" name="return_to" value="${returnTo}">
<button type="submit">Sign in${provider.builtIn ? '' : ` with ${provider.name}`}</button></form>
<p class="aside">New here? An administrator of an organization invites you; its link leads you in.</p>`,
      }),
    };
  });

  get('/signed-out', async () => ({
    page: page({
      title: 'Signed out',
      body: html`<h1>You are signed out</h1>
<p>This browser has no session here any more.</p>
<p class="actions"><a class="button" href="/sign-in">Sign in again</a></p>`,
    }),
  }));
}
