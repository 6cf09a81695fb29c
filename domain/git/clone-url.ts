import type { GitProvider } from './connections.ts';

/** `https://git.example.com`; a host by plain http, where the installation allows that, is named with its scheme. */
export function hostUrl(host: string): string {
  return host.startsWith('http://') ? host : `https://${host}`;
}

/** Where a repository of a connection is fetched from: `team/app` of git.example.com. */
export function cloneUrl(host: string, repository: string): string {
  const path = repository.split('/').map(encodeURIComponent).join('/');
  return `${hostUrl(host)}/${path}${path.endsWith('.git') ? '' : '.git'}`;
}

const tokenPages: Readonly<Record<GitProvider, string>> = {
  github: '/settings/tokens',
  gitlab: '/-/user_settings/personal_access_tokens',
  gitea: '/user/settings/applications',
  plain: '',
};

/** Where a person manages the tokens of a host; empty where nobody knows it. */
export function tokenPage({ host, provider }: { host: string; provider: GitProvider }): string {
  const path = tokenPages[provider];
  return path === '' ? '' : `${hostUrl(host)}${path}`;
}
