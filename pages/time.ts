import { type Html, html } from './html.ts';

const inUtc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' });

/** An instant in a page, which names `times.js` among its scripts: in UTC as it is sent, in the reader's zone once that has run. */
export function time(at: Date): Html {
  return html`<time datetime="${at.toISOString()}">${inUtc.format(at)}</time>`;
}
