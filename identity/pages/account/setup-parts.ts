import { encode } from 'uqr';
import { type Html, html } from '../../../pages/html.ts';

/** The QR code as a drawing in the page: no other request carries the secret. */
export function qrCode(text: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .filter((square) => square !== '')
    .join('');
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code for your authenticator app" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}

/** The secret for those who type it, in groups of four. */
export function spaced(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}

/** Recovery codes, the only time that they are seen. */
export function codeList(codes: readonly string[]): Html {
  const text = `Recovery codes for Ballast. Each works once.\n\n${codes.join('\n')}\n`;
  return html`<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a download="ballast-recovery-codes.txt" href="data:text/plain;charset=utf-8,${encodeURIComponent(text)}">Save as a file</a></p>`;
}
