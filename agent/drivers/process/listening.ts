import type { Listening } from '../../../domain/deployments/listening.ts';
import { socketsOfOwnNetwork, socketsOfProcesses } from '../listening-sockets.ts';
import type { InstanceFiles } from './instance-files.ts';
import { fixedPortOf } from './launch/own-network.ts';
import { leftovers } from './leftovers.ts';
import { lastRun } from './runs.ts';

/** The sockets of all processes of a run, which an agent without root sees of its own user. */
export function listeningOf(files: InstanceFiles, id: string, fixedPorts: boolean): Listening | undefined {
  const directory = files.directory(id);
  const port = files.port(id);
  const run = directory === undefined ? undefined : lastRun(directory);
  if (port === undefined || !run?.running) return undefined;
  const fixed = fixedPortOf(files.spec(id).process);
  if (fixed !== undefined) {
    const own = run.child && socketsOfOwnNetwork(run.child.pid);
    return own && { port: fixed, ownNetwork: false, fixedPort: 'used', sockets: own };
  }
  const sockets = socketsOfProcesses(leftovers(files.groups(id), run).map(({ pid }) => pid));
  return sockets && { port, ownNetwork: false, ...(fixedPorts ? { fixedPort: 'possible' as const } : {}), sockets };
}
