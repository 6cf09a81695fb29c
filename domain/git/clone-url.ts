import type { GitProvider } from './connections.ts';

/** Where a repository of a connection is fetched from: `team/app` of git.example.com. */
export function cloneUrl(host: string, repository: string): string {
  return `https://${host}/${repository.split('/').map(encodeURIComponent).join('/')}.git`;
}

/** Hosts that know a token by itself still want a user name with it. */
export function usernameFor(provider: GitProvider): string {
  return provider === 'github' ? 'x-access-token' : 'oauth2';
}
