import { readdirSync, readFileSync } from 'node:fs';

/** The processes of this machine that have these words in their arguments. */
export function withWords(words: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words);
    } catch {
      return false;
    }
  });
}
