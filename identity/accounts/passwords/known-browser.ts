import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { identitySecret } from '../../../db/keys/identity-secrets.ts';

const name = 'ballast_known_browser';
const lifetimeSeconds = 31_536_000;

/**
 * The `Set-Cookie` header that lets a browser in which somebody has signed in be known again. It opens nothing: it gives
 * the browser guesses of its own for that account, so that strangers who guess cannot lock its owner out.
 */
export function knownBrowserCookie(key: Buffer, email: string, options: { secure: boolean }): string {
  const id = randomBytes(16).toString('base64url');
  const attributes = ['HttpOnly', 'SameSite=Lax', 'Path=/oidc', `Max-Age=${lifetimeSeconds}`];
  if (options.secure) attributes.push('Secure');
  return [`${name}=${id}.${proof(key, id, email).toString('base64url')}`, ...attributes].join('; ');
}

/** The id of the browser, if somebody has signed in with this address in it before. */
export function knownBrowser(key: Buffer, cookies: string | undefined, email: string): string | undefined {
  for (const pair of (cookies ?? '').split(';')) {
    const [, id, shown] = /^\s*ballast_known_browser=([\w-]{22})\.([\w-]{43})\s*$/.exec(pair) ?? [];
    if (id === undefined || shown === undefined) continue;
    if (timingSafeEqual(Buffer.from(shown, 'base64url'), proof(key, id, email))) return id;
  }
  return undefined;
}

function proof(key: Buffer, id: string, email: string): Buffer {
  const secret = identitySecret(key, 'known browsers');
  return createHmac('sha256', secret)
    .update(JSON.stringify([id, email.toLowerCase()]))
    .digest();
}
