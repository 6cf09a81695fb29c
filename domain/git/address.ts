import type { GitProvider } from './connections.ts';

/** The longest address of a repository. */
export const longestGitUrl = 2000;

const needsHttps = 'must be an https address, such as https://github.com/team/app.git';

/** What is wrong with an address of a repository, as far as its text says it. Whether it may be reached, outbound/ decides. */
export function gitUrlFault(text: string): string | undefined {
  if (text.length > longestGitUrl) return `must have at most ${longestGitUrl.toLocaleString('en')} characters`;
  if (text.startsWith('-')) return `${needsHttps}; it begins with -`;
  if (/[^\x21-\x7e]/.test(text)) return `${needsHttps}, without spaces and other characters than those of URLs`;
  if (/^[a-z0-9+.-]+::/i.test(text))
    return `${needsHttps}; helpers of git (${text.slice(0, text.indexOf('::'))}::) are not run`;
  if (/^(?:git\+)?ssh:/i.test(text) || isScpForm(text)) {
    return `${needsHttps}: repositories are not reached by ssh, a Git connection gives access to private ones`;
  }
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return needsHttps;
  const { username, password, search, hash, pathname } = new URL(text);
  if (username !== '' || password !== '') {
    return 'must carry no user name and no password: a Git connection gives access to private repositories';
  }
  if (search !== '' || hash !== '') return 'must end with the path of the repository, without ? and #';
  if (pathname.replaceAll('/', '') === '')
    return 'must name a repository of its host, such as https://github.com/team/app.git';
  return undefined;
}

/** `git@github.com:team/app.git` */
function isScpForm(text: string): boolean {
  return /^[^/:]+:(?!\/\/)/.test(text) && !/^[a-z][a-z0-9+.-]*:\//i.test(text);
}

/** What is wrong with the full name of a connection's repository: `team/app`, deeper on some hosts. */
export function repositoryFault(text: string): string | undefined {
  const parts = text.split('/');
  const fits = parts.every((part) => /^[\p{L}\p{N}_.~-]+$/u.test(part) && !/^\.+$/.test(part) && !part.startsWith('-'));
  return text.length <= 500 && fits ? undefined : 'must be the full name of a repository, such as team/app';
}

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

/** Hosts that we know by name take capitals for the same; of a plain one nobody knows. */
export function sameRepository(provider: GitProvider, one: string, other: string): boolean {
  const plain = (name: string) => inCase(provider, name.replace(/\.git$/, ''));
  return plain(one) === plain(other);
}

/** Whether two addresses are of one repository, whether they end in `.git` and a slash or not. */
export function sameUrl(provider: GitProvider, one: string, other: string): boolean {
  const plain = (text: string) => {
    if (!URL.canParse(text)) return undefined;
    const { protocol, host, pathname } = new URL(text);
    return `${protocol}//${host}${inCase(provider, pathname.replace(/\/+$/, '').replace(/\.git$/, ''))}`;
  };
  const first = plain(one);
  return first !== undefined && first === plain(other);
}

function inCase(provider: GitProvider, name: string): string {
  return provider === 'plain' ? name : name.toLowerCase();
}
