import { lstatSync } from 'node:fs';

/**
 * Whether a directory is there, is this user's, and lets nobody else in. A client looks before it speaks to a socket there:
 * where everybody may write, as in `/tmp`, a cleaner may have removed the directory and somebody else made it anew.
 */
export function isOwnDirectory(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || (found.mode & 0o077) !== 0) return false;
  return process.getuid === undefined || found.uid === process.getuid();
}
