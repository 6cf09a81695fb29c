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
