import { invalidField } from '../engine/input/input.ts';

/** Not for people: data, procedures, the provider, machines. */
const notPages = /^\/(?:api|trpc|oidc|agent)(?:\/|$)/i;

/**
 * Where somebody is led after signing in: a path of ours, or a stranger's link could lead on to the stranger's page. What
 * a browser would read as another address in any way is refused, not mended.
 */
export function isOurPath(path: string, publicUrl: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//') || path.length > 2000) return false;
  // Browsers read a backslash as a slash, and leave tabs and line ends out.
  if (/[\\\p{Cc}]/u.test(path) || !path.isWellFormed()) return false;
  const url = URL.parse(path, publicUrl);
  if (url === null || url.origin !== new URL(publicUrl).origin) return false;
  // A path that begins with two slashes only once it is resolved leads elsewhere when it is followed.
  return !url.pathname.startsWith('//') && !notPages.test(url.pathname) && !notPages.test(decoded(url.pathname));
}

/** The path to lead to, as it is followed. Throws 422 at `query.return_to`. */
export function ourPath(path: string | undefined, publicUrl: string): string {
  if (path === undefined) return '/';
  if (!isOurPath(path, publicUrl)) {
    const message = 'must be the path of a page of this installation; begin it with a single /';
    throw invalidField('query.return_to', message, path.slice(0, 200));
  }
  const { pathname, search, hash } = new URL(path, publicUrl);
  return `${pathname}${search}${hash}`;
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
