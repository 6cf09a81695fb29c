import type { GitProvider } from './connections.ts';

/** By what git itself signs in with a token. Of a plain host the token may be `name:password`. */
export function gitSignIn(provider: GitProvider, token: string): { username: string; password: string } {
  const colon = token.indexOf(':');
  if (provider === 'plain' && colon > 0) return { username: token.slice(0, colon), password: token.slice(colon + 1) };
  // Hosts that know a token by itself still want a user name with it.
  return { username: provider === 'github' ? 'x-access-token' : 'oauth2', password: token };
}
