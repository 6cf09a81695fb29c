import type { RequestHead } from './headers.ts';
import { header } from './headers.ts';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;color:#222}small{color:#666}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}small{color:#999}}';

/** An answer of the ingress's own: a page for browsers, a line for programs, and nothing that a cache would keep. */
export function refusal(
  status: number,
  sentence: string,
  asked: Pick<RequestHead, 'headers'>,
  requestId: string,
): { headers: string[]; body: Buffer } {
  const isPage = header(asked.headers, 'accept')?.toLowerCase().includes('text/html') ?? false;
  const body = Buffer.from(isPage ? page(status, sentence, requestId) : `${sentence}\n`);
  const headers = [
    ...['Content-Type', `${isPage ? 'text/html' : 'text/plain'}; charset=utf-8`],
    ...['Content-Length', String(body.length), 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
    ...['X-Request-Id', requestId],
  ];
  if (isPage) headers.push('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
  if (status === 503 || status === 429) headers.push('Retry-After', '2');
  return { headers, body };
}

function page(status: number, sentence: string, requestId: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${status}</title><style>${style}</style>
<h1>${status}</h1><p>${escaped(sentence)}</p>
<p><small>Answered by the ingress in front of the application. Request ${escaped(requestId)}</small></p></html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
