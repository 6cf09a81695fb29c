import { type Effect, effect } from '../../db/engine/effect.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import { attemptOfBrowser } from '../../db/sign-in/sign-in-attempts.ts';
import { findSignInLinkBySecret, useSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { html } from '../../pages/html.ts';
import { page } from '../../pages/page.ts';
import { beginSignIn } from '../auth/begin-sign-in.ts';
import { noteRefusal } from '../auth/note-refusal.ts';
import { Refusal } from '../auth/refusal.ts';
import type { Client } from '../engine/pipeline/client.ts';
import { authorOf, type PageRoutes } from './visitor.ts';

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
