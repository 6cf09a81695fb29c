import { readdirSync, readFileSync } from 'node:fs';

/** The processes of this machine with these words in their arguments. */
export function processesWith(words: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words);
    } catch {
      return false;
    }
  });
}
