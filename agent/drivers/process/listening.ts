import type { Listening } from '../../../domain/deployments/listening.ts';
import { socketsOfProcesses } from '../listening-sockets.ts';
import type { InstanceFiles } from './instance-files.ts';
import { leftovers } from './leftovers.ts';
import { lastRun } from './runs.ts';

/** The sockets of all processes of a run, which an agent without root sees of its own user. */
export function listeningOf(files: InstanceFiles, id: string): Listening | undefined {
  const directory = files.directory(id);
  const port = files.port(id);
  const run = directory === undefined ? undefined : lastRun(directory);
  if (port === undefined || !run?.running) return undefined;
  const sockets = socketsOfProcesses(leftovers(files.groups(id), run).map(({ pid }) => pid));
  return sockets && { port, ownNetwork: false, sockets };
}
