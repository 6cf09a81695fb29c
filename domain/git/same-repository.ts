import type { GitProvider } from './connections.ts';

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
