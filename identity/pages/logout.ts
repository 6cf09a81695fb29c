import { Html, html } from '../../pages/html.ts';
import { page } from '../../pages/page.ts';

/** Asks whether to sign out at the provider as well. `form` is the form that oidc-provider made, without its buttons. */
export function logoutPage(form: string): string {
  const id = /<form id="([\w.-]+)"/.exec(form)?.[1] ?? 'op.logoutForm';
  return page({
    title: 'Sign out',
    body: html`<h1>Sign out?</h1>
<p>You will have to sign in again to come back.</p>
${new Html(form)}
<div class="actions"><button form="${id}" type="submit" name="logout" value="yes" autofocus>Sign out</button>
<button form="${id}" type="submit" class="quiet">Stay signed in</button></div>`,
  });
}

/** Where a sign-out ends that was not begun by Ballast itself. */
export function signedOutPage(): string {
  return page({
    title: 'Signed out',
    body: html`<h1>You are signed out</h1>
<p>It is safe to close this page.</p>
<p class="actions"><a class="button" href="/sign-in">Sign in again</a></p>`,
  });
}
