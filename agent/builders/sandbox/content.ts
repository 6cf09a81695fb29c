import { readFileSync } from 'node:fs';

/** The text of a file of the kernel or of a sandbox; empty if it is not there any more. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
