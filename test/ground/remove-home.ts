import { cpSync, existsSync, lstatSync, readlinkSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endInstances } from '../../agent/program/leave.ts';
import { readHome } from '../../runtime/home/home.ts';

/** Where the logs of the last run of each test are kept. */
const keptLogs = fileURLToPath(new URL('../../node_modules/.cache/ballast/test-logs', import.meta.url));

/** Keeps the logs of a home that is about to go under this name. */
export function keepLogs(home: string, name: string): void {
  const kept = join(keptLogs, name);
  rmSync(kept, { recursive: true, force: true });
  if (lstatSync(join(home, 'logs'), { throwIfNoEntry: false })) cpSync(join(home, 'logs'), kept, { recursive: true });
}

/** Ends what a stopped installation has left running on purpose. */
export async function endWhatGoesOn(home: string): Promise<void> {
  const agent = linkedFrom(join(home, 'agent')) ?? join(home, 'agent');
  if (existsSync(agent)) await endInstances(agent, '/var/run/docker.sock');
}

function linkedFrom(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
}

/** Takes a home away with all that belongs to it. */
export function removeHome(home: string): void {
  // As root the data lie elsewhere, in directories that are named like the installation and hold nothing else.
  const data = linkedFrom(join(home, 'postgres'));
  const agent = linkedFrom(join(home, 'agent'));
  const own = data && dirname(data);
  for (const one of [own, own && `${own}-postgres-run`, own && `${own}-run`, agent]) {
    if (one && basename(one).startsWith(readHome(home).record.installation))
      rmSync(one, { recursive: true, force: true });
  }
  rmSync(home, { recursive: true, force: true });
}
