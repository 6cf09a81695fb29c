import type { ContainerInspectInfo } from 'dockerode';
import type { Listening } from '../../../domain/deployments/listening.ts';
import { socketsIn, socketsOfNetwork } from '../listening-sockets.ts';
import type { Engine } from './engine.ts';
import { exec, isWithin } from './exec.ts';

const patienceMillis = 3_000;
const mostBytes = 256 * 1024;
const tables = ['cat', '/proc/net/tcp', '/proc/net/tcp6'];

/** The sockets in a container's network: read on this machine where its processes are, otherwise by a program of its image. */
export async function listeningOf(
  engine: Engine,
  container: ContainerInspectInfo | undefined,
  port: number | undefined,
): Promise<Listening | undefined> {
  if (container === undefined || port === undefined || !container.State.Running) return undefined;
  const { Pid } = container.State;
  const sockets =
    (Pid > 0 && isWithin(Pid, container.Id) ? socketsOfNetwork(Pid) : undefined) ??
    (await socketsWithin(engine, container.Id));
  return sockets && { port, ownNetwork: true, sockets };
}

/** An image without `cat` tells nothing. */
async function socketsWithin(engine: Engine, container: string) {
  let text = '';
  const output = (stream: string, bytes: Buffer) => {
    if (stream === 'stdout' && text.length < mostBytes) text += bytes.toString('latin1');
  };
  const signal = AbortSignal.timeout(patienceMillis);
  await exec(engine, container, tables, { output, signal }).catch(() => undefined);
  // The heading of a table is there whatever listens, and a machine without IPv6 has one table.
  return text.includes('local_address') ? socketsIn(text) : undefined;
}
