import { readFileSync } from 'node:fs';
import { type Html, html } from './html.ts';

export interface Page {
  /** In the browser's tab, before the product's name. */
  title: string;
  /** The content of the card. */
  body: Html;
  /** Scripts of ours, by their names in pages/: what they do must also be possible without them, or be optional. */
  scripts?: readonly PageScript[];
  /** The page is asked for again after so long: it stands in for one that is not ready yet. */
  refreshSeconds?: number;
}

export type PageScript = 'code-from-fragment.js' | 'passkey.js' | 'times.js';

/** Where pages find their style sheet and scripts: served by the API, whoever serves the page. */
export const assetsPath = '/assets/';

/** The mark, in the browser's tab. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect width="20" height="20" rx="5" fill="#17171a"/><path d="M5 5h10v5a5 5 0 0 1-10 0z" fill="none" stroke="#fff" stroke-width="1.5"/><path d="M5 10h10a5 5 0 0 1-10 0z" fill="#fff"/></svg>',
)}`;

/** A whole page in the product's look: a card in the middle, plain and without script. */
export function page({ title, body, scripts = [], refreshSeconds }: Page): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${refreshSeconds === undefined ? '' : html`<meta http-equiv="refresh" content="${String(refreshSeconds)}">`}<title>${title} · Ballast</title>
<link rel="icon" href="${icon}"><link rel="stylesheet" href="${assetsPath}pages.css">
${scripts.map((name) => html`<script src="${assetsPath}${name}" defer></script>`)}</head>
<body><main><header><span class="mark" aria-hidden="true"></span>Ballast</header>${body}</main></body></html>`.text;
}

/** Nothing from elsewhere, no script in the page itself, never in a frame, and forms only to ourselves. */
export function pageHeaders(): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; script-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    // Forms must carry an Origin, which browsers leave out under a stricter policy.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** One style sheet for all pages; it is written in four parts, of which the console has the first one too. */
const styles = ['tokens.css', 'ground.css', 'forms.css', 'lists.css'];

/** The letters of Western languages; for others pages use what the machine has. */
const font = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');

export function readAsset(name: 'pages.css' | 'inter.woff2' | PageScript): Buffer {
  if (name === 'inter.woff2') return readFileSync(new URL(font));
  const files = name === 'pages.css' ? styles : [name];
  return Buffer.from(files.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n'));
}
