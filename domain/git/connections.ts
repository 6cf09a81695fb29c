/** How a connection came to be: with a token of a host that everybody knows, or of one that the organization runs. */
export const gitConnectionKinds = ['hosted-token', 'selfhosted-token'] as const;
export type GitConnectionKind = (typeof gitConnectionKinds)[number];

/** Whose interface a host speaks; Forgejo speaks Gitea's. `plain`: git over https alone, with no list of repositories. */
export const gitProviders = ['github', 'gitlab', 'gitea', 'plain'] as const;
export type GitProvider = (typeof gitProviders)[number];

const beginnings: readonly [RegExp, string][] = [
  [/^(?:gh[a-z]_|github_pat_)/, 'github.com'],
  [/^gl[a-z]+-/, 'gitlab.com'],
];

/** The host that everybody knows whose tokens begin so. */
export function hostOfToken(token: string): string | undefined {
  return beginnings.find(([beginning]) => beginning.test(token))?.[1];
}

/** By what git itself signs in with a token. Of a plain host the token may be `name:password`. */
export function gitSignIn(provider: GitProvider, token: string): { username: string; password: string } {
  const colon = token.indexOf(':');
  if (provider === 'plain' && colon > 0) return { username: token.slice(0, colon), password: token.slice(colon + 1) };
  // Hosts that know a token by itself still want a user name with it.
  return { username: provider === 'github' ? 'x-access-token' : 'oauth2', password: token };
}

/** The whole name of a commit: of SHA-1, or of SHA-256. */
export const commitPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
