import { closeSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { writeLine } from '../../machine/line-output.ts';
import { identify, isAlive, type ProcessIdentity } from '../../machine/process-identity.ts';
import { controlPath, obey, order } from './control.ts';
import { FrontDoor } from './front-door.ts';
import type { IngressFiles, ProcessRecord } from './ingress-files.ts';
import { PortProxies } from './port-proxies.ts';
import { AccessLog, TrafficCounts } from './requests/access-log.ts';
import { ClientLimits, type Limits, usualLimits } from './requests/client-limits.ts';
import { RoutingTable } from './routing-table.ts';
import { startHolder } from './socket/holder.ts';
import { backlog } from './socket/open-socket.ts';
import { trustedProxies } from './trusted-proxies.ts';

/** The program of this digest takes over, started by a holder of its own. Version 0.1 is told the program itself. */
const handOverOrder = z.object({ digest: z.string(), holder: z.string() });

export interface ServingOptions {
  directory: string;
  listen: string;
  digest: string;
  /** Ranges of addresses of proxies in front. */
  trust: readonly string[];
  limits: Partial<Pick<Limits, 'connections' | 'requests'>>;
  /** The process that holds the socket, and started this one. */
  holder: number;
  /** The descriptor on which the first process of a holder says that it serves. */
  ready: number | undefined;
  /** An ingress of version 0.1 sends its socket. */
  inherit: boolean;
}

export function servingOptions(argv: readonly string[]): ServingOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      directory: { type: 'string' },
      // Version 0.1 says it to its successor.
      port: { type: 'string' },
      listen: { type: 'string', default: '127.0.0.1' },
      digest: { type: 'string', default: '' },
      trust: { type: 'string', multiple: true, default: [] },
      'client-connections': { type: 'string' },
      'client-requests': { type: 'string' },
      holder: { type: 'string', default: '0' },
      ready: { type: 'string' },
      inherit: { type: 'boolean', default: false },
    },
  });
  const { directory, listen, digest, trust, inherit } = values;
  if (directory === undefined) throw new Error('Say with --directory where the ingress keeps its files.');
  const holder = Number(values.holder);
  const ready = values.ready === undefined ? undefined : Number(values.ready);
  if (!inherit && holder !== process.ppid) throw new Error('The holder of the socket that --holder names has ended.');
  const limits = {
    ...limit('connections', values['client-connections']),
    ...limit('requests', values['client-requests']),
  };
  return { directory, listen, digest, trust, limits, holder, ready, inherit };
}

function limit(name: 'connections' | 'requests', value: string | undefined): ServingOptions['limits'] {
  return value === undefined ? {} : { [name]: Number(value) };
}

/** The descriptor that a holder's processes inherit. */
const heldSocket = 3;
const longestLeave = 3_600_000;
const longestEnd = 30_000;
const longestStop = 5_000;
const idleMilliseconds = 2_000;

/** One process of the ingress from its start to its end. */
export class Serving {
  readonly #options: ServingOptions;
  readonly #files: IngressFiles;
  readonly #table = new RoutingTable();
  readonly #ports = new PortProxies();
  readonly #traffic = new TrafficCounts();
  readonly #log: AccessLog;
  readonly #door: FrontDoor;
  #generation = 0;
  #record: ProcessRecord | undefined;
  #leaving = false;
  #handing = false;

  constructor(options: ServingOptions, files: IngressFiles) {
    this.#options = options;
    this.#files = files;
    this.#log = new AccessLog(files.accessLog);
    this.#door = new FrontDoor({
      table: this.#table,
      log: this.#log,
      traffic: this.#traffic,
      trusts: trustedProxies(options.trust),
      limits: new ClientLimits({ ...usualLimits, ...options.limits }),
    });
  }

  /** Serves on the holder's socket. False: another holder's process does already. */
  async start(): Promise<boolean> {
    const { digest, listen, holder: holderPid, ready } = this.#options;
    this.#apply();
    const own = identify(process.pid);
    const holder = identify(holderPid);
    if (own === undefined || holder === undefined) throw new Error('The process does not find itself or its holder.');
    const before = this.#files.serving();
    const predecessor = before !== undefined && isAlive(before) ? before : undefined;
    const others = predecessor?.holder !== undefined && predecessor.holder.pid !== holder.pid;
    // The first process of a holder was started to take over; a later one only where its holder is still the one.
    if (ready === undefined && others && predecessor.holder !== undefined && isAlive(predecessor.holder)) return false;
    const control = controlPath(this.#files.directory, process.pid);
    await obey(control, {
      state: () => ({
        pid: process.pid,
        generation: this.#generation,
        inFlight: this.#table.inFlight(),
        connections: this.#door.connections,
        ports: this.#ports.failures(),
      }),
      apply: () => this.#apply(),
      traffic: () => this.#traffic.all(),
      'hand-over': (body) => this.#handOver(handOverOrder.parse(body)),
      leave: () => this.#leave(longestLeave),
      stop: () => {
        this.#leave(longestStop);
        this.#door.closeIdle();
      },
    });
    const { server } = this.#door;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ fd: heldSocket }, backlog, resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    this.#record = { ...own, digest, listen, port, control, holder };
    this.#files.writeServing(this.#record);
    // Routes that were set meanwhile did not reach this process.
    this.#apply();
    // Before the other one is told to leave: should this process end between the two, the port would be nobody's.
    if (ready !== undefined) {
      writeSync(ready, 'ready\n');
      closeSync(ready);
    }
    if (predecessor !== undefined) await relieve(predecessor, holder);
    else if (before !== undefined) this.#files.removeControl(before.control);
    return true;
  }

  /** Another process of the same holder takes what comes from now on; requests that are here get half a minute. */
  replace(): void {
    const holder = this.#record?.holder;
    if (holder !== undefined && !this.#leaving && isAlive(holder)) process.kill(holder.pid, 'SIGUSR1');
    this.#leave(longestEnd);
    // A client whose next request is on its way just now gets an answer that asks it to come anew.
    setTimeout(() => this.#door.closeIdle(), idleMilliseconds);
  }

  #apply(): { generation: number } {
    const { generation, routes, ports } = this.#files.routes();
    this.#table.apply(routes);
    // In the same turn: nobody finds host names of one release and ports of another.
    if (!this.#leaving) this.#ports.apply(ports);
    this.#traffic.keep(this.#table.hosts());
    this.#generation = generation;
    return { generation };
  }

  /** The listening socket goes to a holder of its own with the program, and this process leaves when that one's serves. */
  async #handOver({ digest, holder: script }: { digest: string; holder: string }): Promise<{ pid: number }> {
    const mine = this.#record;
    if (mine === undefined || this.#leaving || this.#handing) throw new Error('There is nothing to hand over.');
    this.#handing = true;
    const socket = { fd: heldSocket, port: mine.port, close: () => undefined };
    try {
      await startHolder({ files: this.#files, script, digest, listen: mine.listen, socket });
    } catch (error) {
      // The holder's process may have come as far as its record.
      this.#files.writeServing(mine);
      throw error;
    } finally {
      this.#handing = false;
    }
    this.#leave(longestLeave);
    return { pid: this.#files.serving()?.pid ?? 0 };
  }

  #leave(milliseconds: number): Record<string, never> {
    const mine = this.#record;
    this.#log.rotates = false;
    if (mine && !this.#leaving) this.#note(() => this.#files.writeLeaving(mine));
    this.#leaving = true;
    this.#door.leave();
    this.#ports.leave();
    const looking = setInterval(() => {
      if (this.#door.connections + this.#ports.connections === 0 && !this.#handing) this.#end();
    }, 100);
    setTimeout(() => {
      clearInterval(looking);
      this.#door.cut();
      this.#ports.cut();
      setTimeout(() => this.#end(), 200);
    }, milliseconds);
    return {};
  }

  #end(): void {
    this.#log.close();
    const mine = this.#record;
    if (mine !== undefined) {
      this.#note(() => {
        this.#files.removeLeaving(mine);
        this.#files.removeControl(mine.control);
      });
    }
    process.exit(0);
  }

  /** A full disk, or a home that was deleted, is no reason not to end: that kept processes running for good. */
  #note(write: () => void): void {
    try {
      write();
    } catch (error) {
      writeLine(`The ingress cannot note that it is leaving: ${String(error)}`);
    }
  }
}

/** The process before this one takes no more connections, and its holder is not needed any more. */
async function relieve({ control, holder }: ProcessRecord, own: ProcessIdentity): Promise<void> {
  // One of version 0.1 leaves by itself, when it hears that its successor is ready.
  if (holder === undefined) return;
  await order(control, 'leave').catch(() => undefined);
  if (holder.pid !== own.pid && isAlive(holder)) process.kill(holder.pid, 'SIGKILL');
}
