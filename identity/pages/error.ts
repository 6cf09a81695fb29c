import { html } from '../../pages/html.ts';
import { page } from '../../pages/page.ts';

/** A dead end: what went wrong, in a sentence, and the way back. */
export function errorPage(title: string, sentence: string): string {
  return page({
    title,
    body: html`<h1>${title}</h1>
<p>${sentence}</p>
<p class="actions"><a class="button" href="/sign-in">Back to the sign-in</a></p>`,
  });
}
