import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a form was sent from one of our own pages. Browsers set both headers themselves, so no other site can make them
 * say so. Some leave `Origin` out for forms to their own origin; then `Sec-Fetch-Site` says it.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  if (headers.origin !== undefined) return headers.origin === new URL(publicUrl).origin;
  return headers['sec-fetch-site'] === 'same-origin';
}
