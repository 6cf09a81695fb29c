import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file so that, whatever happens, it is the old one or the new one and never half of either. */
export function writeFileAtomically(path: string, content: string | Uint8Array, mode = 0o600): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  const file = openSync(draft, 'wx', mode);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
}

/** The names in it are on disk. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  fsyncSync(directory);
  closeSync(directory);
}

/** The text of a file of the kernel or of a sandbox; empty if it is not there any more. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
