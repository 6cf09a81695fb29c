import { cpSync, lstatSync, readlinkSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readHome } from '../runtime/home.ts';

/** Where the logs of the last run of each test are kept. */
const keptLogs = fileURLToPath(new URL('../node_modules/.cache/ballast/test-logs', import.meta.url));

/** Keeps the logs of a home that is about to go under this name. */
export function keepLogs(home: string, name: string): void {
  const kept = join(keptLogs, name);
  rmSync(kept, { recursive: true, force: true });
  if (lstatSync(join(home, 'logs'), { throwIfNoEntry: false })) cpSync(join(home, 'logs'), kept, { recursive: true });
}

/** Takes a home away with all that belongs to it. */
export function removeHome(home: string): void {
  const data = join(home, 'postgres');
  if (lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink()) {
    // As root the data lie elsewhere, in a directory that is named like the installation and holds nothing else.
    const own = dirname(readlinkSync(data));
    if (basename(own) === readHome(home).record.installation) rmSync(own, { recursive: true, force: true });
  }
  rmSync(home, { recursive: true, force: true });
}
