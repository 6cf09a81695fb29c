import type { SessionCredential } from '../../db/credentials.ts';
import { effect } from '../../db/effect.ts';
import { endOwnSession, listSessions, type SessionView } from '../../db/sessions.ts';
import { ownerExists } from '../../db/sign-in-links.ts';
import { Problem } from '../../domain/problems.ts';
import { type Html, html } from '../../pages/html.ts';
import { page } from '../../pages/page.ts';
import { isHttps } from '../auth/begin-sign-in.ts';
import { authorOf, type PageRoutes } from './visitor.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The first page of whoever is signed in: who it is, where it belongs, and from where it is signed in. */
export function homePage({ server, get, post }: PageRoutes): void {
  const { database, provider } = server;

  get('/', async ({ session }) => {
    const current = await session();
    if (current !== undefined) {
      const sessions = await listSessions(database.kysely, current.user.id);
      return { page: page({ title: 'Home', body: home(current, sessions, provider.builtIn) }) };
    }
    return (await ownerExists(database.kysely))
      ? { to: '/sign-in' }
      : { page: page({ title: 'Welcome', body: welcome }) };
  });

  post('/sessions/:id/end', async (visitor) => {
    const current = await visitor.session();
    if (current === undefined) return { to: '/sign-in' };
    const id = visitor.parameter('id').toLowerCase();
    const ended =
      uuid.test(id) &&
      (await effect(database, authorOf(visitor, current), (running) => endOwnSession(running, current.user.id, id)));
    if (!ended) throw new Problem('not-found', 'You have no such session, or it has ended already.');
    return { to: '/' };
  });

  post('/sign-out', async (visitor) => {
    const current = await visitor.session();
    const to = await provider.endSessionUrl();
    if (current !== undefined) {
      await effect(database, authorOf(visitor, current), (running) =>
        endOwnSession(running, current.user.id, current.id),
      );
    }
    visitor.client.setCookie('svc_session', '', { maxAgeSeconds: 0, secure: isHttps(server) });
    return { to };
  });
}

const welcome = html`<h1>Welcome to Ballast</h1>
<p>This installation has no owner yet. Open the sign-in link that was printed when it was started (<code>npm start</code>); it makes your account.</p>
<p>The link is good for a quarter of an hour. <code>./ballast sign-in-link</code> prints another one.</p>
<p class="aside"><a href="/docs">API reference</a></p>`;

function home({ id, user, memberships, mfa }: SessionCredential, sessions: SessionView[], builtIn: boolean): Html {
  return html`<h1>${user.name}</h1>
<p>${user.email}${mfa ? ', signed in with a second factor' : ''}</p>
<section><h2>Organizations</h2>${
    memberships.length === 0
      ? html`<p>You belong to none. An administrator of one can invite ${user.email}.</p>`
      : html`<ul>${memberships.map(
          ({ name, role, requireMfa }) =>
            html`<li><strong>${name}</strong> <span class="quiet">${role}${requireMfa && !mfa ? ', wants a sign-in with a second factor' : ''}</span></li>`,
        )}</ul>`
  }</section>
<section><h2>Where you are signed in</h2><ul>${sessions.map((session) => sessionItem(session, id))}</ul></section>
<section><form method="post" action="/sign-out"><button type="submit" class="quiet">Sign out</button></form></section>
<p class="links"><a href="/docs">API reference</a>${builtIn ? html`<a href="/oidc/account">Your account</a>` : ''}</p>`;
}

function sessionItem({ id, ip, userAgent, createdAt }: SessionView, current: string): Html {
  const since = createdAt.toISOString().slice(0, 16).replace('T', ' ');
  return html`<li><strong>${browserName(userAgent)}</strong> <span class="quiet">${ip ?? 'from an unknown address'}, since ${since} UTC</span>
${id === current ? html`<span class="quiet">(this one)</span>` : html`<form method="post" action="/sessions/${id}/end"><button type="submit" class="link">End it</button></form>`}</li>`;
}

/** What people call it; the whole text is for programs. */
function browserName(userAgent: string | null): string {
  const text = userAgent ?? '';
  const name = ['Edg', 'Firefox', 'Chrome', 'Safari', 'curl'].find((one) => text.includes(one));
  const system = ['Windows', 'iPhone', 'iPad', 'Android', 'Mac OS', 'Linux'].find((one) => text.includes(one));
  if (name === undefined) return text.slice(0, 40) || 'A program';
  return `${name === 'Edg' ? 'Edge' : name}${system === undefined ? '' : ` on ${system}`}`;
}
