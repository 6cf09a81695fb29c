import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:net';
import { identify } from '../../machine/process-identity.ts';
import { controlPath, obey } from './control.ts';
import { FrontDoor } from './front-door.ts';
import type { IngressFiles, ProcessRecord } from './ingress-files.ts';
import { AccessLog } from './requests/access-log.ts';
import { TrafficCounts } from './requests/traffic-counts.ts';
import { RoutingTable } from './routing-table.ts';
import { handOverOrder, type ServingOptions } from './serving-options.ts';
import { trustedProxies } from './trusted-proxies.ts';

const successorMilliseconds = 10_000;
const longestLeave = 3_600_000;
const longestStop = 5_000;

/** One process of the ingress from its start to its end. */
export class Serving {
  readonly #options: ServingOptions;
  readonly #files: IngressFiles;
  readonly #table = new RoutingTable();
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
    });
  }

  /** Takes over the socket of the one before, or opens one. */
  async start(inherited: Server | undefined): Promise<void> {
    this.#apply();
    const identity = identify(process.pid);
    if (identity === undefined) throw new Error('The process does not find itself.');
    const control = controlPath(this.#files.directory, process.pid);
    await obey(control, {
      state: () => ({
        pid: process.pid,
        generation: this.#generation,
        inFlight: this.#table.inFlight(),
        connections: this.#door.connections,
      }),
      apply: () => this.#apply(),
      traffic: () => this.#traffic.all(),
      'hand-over': (body) => this.#handOver(handOverOrder.parse(body)),
      leave: () => this.#leave(longestLeave),
      stop: () => this.stop(),
    });
    const { server } = this.#door;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      if (inherited) server.listen(inherited, resolve);
      else server.listen({ port: this.#options.port, host: this.#options.listen, backlog: 1024 }, resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : this.#options.port;
    this.#record = { ...identity, digest: this.#options.digest, listen: this.#options.listen, port, control };
    this.#files.writeServing(this.#record);
    // Routes that were set meanwhile did not reach this process.
    this.#apply();
  }

  /** Ends soon, but not before what is under way had its time. */
  stop(): void {
    this.#leave(longestStop);
    this.#door.server.closeIdleConnections();
  }

  #apply(): { generation: number } {
    const { generation, routes } = this.#files.routes();
    this.#table.apply(routes);
    this.#traffic.keep(this.#table.hosts());
    this.#generation = generation;
    return { generation };
  }

  /**
   * The listening socket itself goes to the successor, so that no connection waits where nobody takes it: two sockets on
   * one port would lose what waits at the one that closes.
   */
  async #handOver(to: { program: string[]; digest: string; trust: string[] }): Promise<{ pid: number }> {
    const mine = this.#record;
    const [file = '', ...program] = to.program;
    if (mine === undefined || this.#leaving || this.#handing) throw new Error('There is nothing to hand over.');
    this.#handing = true;
    this.#files.writeLeaving(mine);
    const log = openSync(this.#files.ownLog, 'a', 0o600);
    const successor = spawn(
      file,
      [
        ...program,
        ...['--directory', this.#files.directory, '--port', String(mine.port), '--listen', mine.listen],
        ...['--digest', to.digest, ...to.trust.flatMap((range) => ['--trust', range]), '--inherit'],
      ],
      { cwd: '/', env: { PATH: process.env.PATH }, detached: true, stdio: ['ignore', log, log, 'ipc'] },
    );
    closeSync(log);
    try {
      await this.#ready(successor);
    } catch (error) {
      successor.kill('SIGKILL');
      this.#files.writeServing(mine);
      this.#files.removeLeaving(mine);
      this.#handing = false;
      throw error;
    }
    successor.disconnect();
    successor.unref();
    this.#leave(longestLeave);
    return { pid: successor.pid ?? 0 };
  }

  #ready(successor: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('The new program of the ingress did not start: see ingress.log.'));
      const timer = setTimeout(fail, successorMilliseconds);
      successor.once('error', fail);
      successor.once('exit', fail);
      successor.on('message', (message) => {
        if (message === 'waiting') successor.send('socket', this.#door.server);
        if (message !== 'ready') return;
        clearTimeout(timer);
        successor.off('exit', fail);
        resolve();
      });
    });
  }

  #leave(milliseconds: number): Record<string, never> {
    const mine = this.#record;
    this.#log.rotates = false;
    if (mine && !this.#leaving) this.#files.writeLeaving(mine);
    this.#leaving = true;
    this.#door.leave();
    const looking = setInterval(() => {
      if (this.#door.connections === 0) this.#end();
    }, 100);
    setTimeout(() => {
      clearInterval(looking);
      this.#door.cut();
      setTimeout(() => this.#end(), 200);
    }, milliseconds);
    return {};
  }

  #end(): void {
    this.#log.close();
    if (this.#record) {
      this.#files.removeLeaving(this.#record);
      this.#files.removeControl(this.#record.control);
    }
    process.exit(0);
  }
}
