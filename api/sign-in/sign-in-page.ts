import { ownerExists } from '../../db/sign-in/sign-in-links.ts';
import { html } from '../../pages/html.ts';
import { page } from '../../pages/page.ts';
import { isOurPath } from '../auth/return-to.ts';
import type { PageRoutes } from './visitor.ts';

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
