import { defined } from '../../../domain/defined.ts';
import { isOnLoopback, type Listening } from '../../../domain/deployments/listening.ts';
import type { Instance } from '../driver.ts';
import { socketsOfOwnNetwork, socketsOfProcesses } from '../listening-sockets.ts';
import type { InstanceFiles } from './instance-files.ts';
import { memoryOf } from './launch/control-groups.ts';
import { fixedPortOf } from './launch/own-network.ts';
import { leftovers } from './leftovers.ts';
import { lastRun, lookAt, type Run } from './runs.ts';

/** An instance as it is now. */
export function describeInstance(files: InstanceFiles, id: string, directory: string): Instance {
  const spec = files.spec(id);
  const last = lastRun(directory);
  const base = { id, key: spec.key, release: spec.release, process: spec.process, imageDigest: spec.image.digest };
  if (last === undefined) return { ...base, state: 'created', run: 0 };
  const exit = last.exit ?? (last.number > 1 ? lookAt(directory, last.number - 1).exit : undefined);
  const port = last.running && isReachable(last, fixedPortOf(spec.process)) ? files.port(id) : undefined;
  const memoryBytes = last.running ? memoryOf(files.groups(id)) : undefined;
  return {
    ...base,
    state: last.running ? 'running' : 'ended',
    run: last.number,
    ...defined({ startedAt: last.startedAt, exit, memoryBytes }),
    ...(port !== undefined && spec.process.port !== undefined && { address: { host: '127.0.0.1', port } }),
  };
}

/** A port that leads into a network of its own is open before anybody listens there, so the program is asked instead. */
function isReachable({ child }: Run, fixed: number | undefined): boolean {
  if (fixed === undefined || child === undefined) return fixed === undefined;
  const sockets = socketsOfOwnNetwork(child.pid);
  return sockets === undefined || sockets.some((socket) => socket.port === fixed && isOnLoopback(socket));
}

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
