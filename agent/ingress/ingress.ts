import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { backOff } from '../../domain/back-off.ts';
import { rotate } from '../../machine/log-files.ts';
import { isAlive, signal } from '../../machine/process-identity.ts';
import { observedSlice } from '../../protocol/observed.ts';
import type { Log } from '../program/log.ts';
import { order } from './control.ts';
import { IngressFiles, type ProcessRecord, programDigest } from './ingress-files.ts';
import { IngressProcesses } from './ingress-processes.ts';
import type { PortRoute, Route, Traffic } from './route.ts';
import { CannotHold, holdPort } from './socket/hold-port.ts';
import { holderScript } from './socket/holder.ts';

export type { Route, Traffic } from './route.ts';

export interface IngressOptions {
  /** Of the agent. */
  home: string;
  /** 0: any that is free; once found it stays. */
  port: number;
  listen: string;
  /** How a process of the ingress is started: file and arguments. */
  program: readonly string[];
  /** Ranges of addresses of proxies in front, whose word about clients is taken. */
  trustedProxies?: readonly string[];
  /** Of one client's connections, and of its requests in flight. */
  limits?: { connections: number; requests: number };
  log: Log;
}

/** A look costs little while it serves, and less often while it cannot be started. */
const looks = { first: 100, longest: 5_000 };
const startMilliseconds = 10_000;
const patience = 20_000;
/** A program that cannot take over is not tried all the time. */
const handOverPause = 60_000;
const traffic = observedSlice.shape.traffic;
const state = z.object({
  generation: z.int(),
  inFlight: z.record(z.string(), z.int()),
  ports: z.record(z.string(), z.string()).default({}),
});

/**
 * The agent's side of the ingress. The ingress itself is a process of its own that keeps serving without any agent; a later
 * agent finds it by its record.
 */
export class Ingress {
  readonly #options: IngressOptions;
  readonly #files: IngressFiles;
  readonly #processes: IngressProcesses;
  readonly #digest: string;
  #watching: NodeJS.Timeout | undefined;
  #ensuring: Promise<{ port: number }> | undefined;
  #letGo = false;
  #failures = 0;
  #failure: string | undefined;
  #handOverFailed = Number.NEGATIVE_INFINITY;
  #setting: Promise<void> = Promise.resolve();

  constructor(options: IngressOptions) {
    this.#options = options;
    this.#files = new IngressFiles(join(options.home, 'ingress'));
    this.#processes = new IngressProcesses(this.#files);
    this.#digest = programDigest([...options.program, holderScript, ...settings(options)]);
  }

  /**
   * Starts it or adopts the one that runs, and from now on starts it again whenever it ends; also when it could not be
   * started this time, because somebody else has its port for example.
   */
  async ensure(): Promise<{ port: number }> {
    this.#ensuring ??= this.#converge()
      .then(
        (found) => {
          this.#failure = undefined;
          return found;
        },
        (error: unknown) => {
          this.#failure = error instanceof Error ? error.message : String(error);
          throw error;
        },
      )
      .finally(() => {
        this.#ensuring = undefined;
        if (this.#watching === undefined && !this.#letGo) this.#watch(looks.first);
      });
    return await this.#ensuring;
  }

  /** The reason why the ingress is down, while it is being retried. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The ingress's port; undefined while it is down. */
  get port(): number | undefined {
    return this.#processes.serving?.port;
  }

  /** Where this machine itself reaches it, and whether it believes proxies in front of it, which may serve https. */
  get door(): { host: string; port: number; isBehindProxy: boolean } | undefined {
    const { listen, trustedProxies = [] } = this.#options;
    const host = listen === '0.0.0.0' ? '127.0.0.1' : listen === '::' ? '::1' : listen;
    return this.port === undefined ? undefined : { host, port: this.port, isBehindProxy: trustedProxies.length > 0 };
  }

  /** Resolves when every process of the ingress has applied these routes. */
  setRoutes(routes: readonly Route[], ports: readonly PortRoute[] = []): Promise<void> {
    const setting = this.#setting.then(async () => {
      const generation = this.#files.routes().generation + 1;
      this.#files.writeRoutes(generation, routes, ports);
      await Promise.all(this.#processes.all.map((record) => this.#processes.told(record)));
    });
    this.#setting = setting.catch(() => undefined);
    return setting;
  }

  /** Requests in flight at an instance, in all processes of the ingress. */
  async inFlight(upstream: { host: string; port: number }): Promise<number> {
    const counts = await Promise.all(
      this.#processes.all.map(async (record) => {
        const answer = await this.#processes.ask(record, 'state');
        return answer === undefined ? 0 : (state.parse(answer).inFlight[`${upstream.host}:${upstream.port}`] ?? 0);
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Ports of the loopback that cannot be opened, each with the reason. */
  async portFailures(): Promise<Record<string, string>> {
    const serving = this.#processes.serving;
    const answer = serving && (await this.#processes.ask(serving, 'state'));
    return answer === undefined ? {} : state.parse(answer).ports;
  }

  async traffic(): Promise<Traffic[]> {
    const serving = this.#processes.serving;
    const answer = serving && (await this.#processes.ask(serving, 'traffic'));
    return traffic.parse(answer ?? []);
  }

  /** Detaches from the ingress, which keeps serving. */
  close(): void {
    this.#letGo = true;
    clearTimeout(this.#watching);
    this.#watching = undefined;
  }

  /** Stops the ingress; requests in flight get 5 s. */
  async stop(): Promise<void> {
    this.close();
    await this.#ensuring?.catch(() => undefined);
    // One that is just being started by a holder shows only now.
    do {
      this.#processes.endHolders();
      await Promise.all(this.#processes.all.map((record) => this.#processes.end(record, 7_000)));
    } while (this.#processes.all.length > 0);
  }

  async #converge(): Promise<{ port: number }> {
    const { listen, port, log } = this.#options;
    rotate(this.#files.ownLog);
    this.#writeProgram();
    const serving = this.#processes.serving;
    if (serving === undefined) return await this.#recover();
    if (this.#processes.isDeaf(serving) && isHeld(serving)) return await this.#relieve(serving);
    // On a machine at its limit a process is slow to answer; killing it would cut all that it serves.
    if ((await this.#processes.ask(serving, 'state', patience)) === undefined) {
      if (isAlive(serving)) log.warn('The ingress does not answer and is restarted.');
      await this.#processes.end(serving);
      return await this.#recover();
    }
    if (serving.listen !== listen || (port !== 0 && serving.port !== port)) {
      log.info(`The ingress moves to ${listen}, port ${port}.`);
      this.#processes.endHolders();
      await order(serving.control, 'leave');
      return await this.#start();
    }
    if (serving.digest !== this.#digest || !isHeld(serving)) await this.#handOver(serving);
    return { port: serving.port };
  }

  /** The words in this file start the program, also when its release lies elsewhere now. */
  #writeProgram(): void {
    const { program, listen } = this.#options;
    const place = ['--directory', this.#files.directory, '--listen', listen, '--digest', this.#digest];
    this.#files.writeProgram(this.#digest, [...program, ...place, ...settings(this.#options)]);
  }

  /** No process serves. A holder starts one by itself; a new one is needed where there is none, or one for something else. */
  async #recover(): Promise<{ port: number }> {
    const { listen, port } = this.#options;
    const holder = this.#files
      .holders()
      .find((one) => one.digest === this.#digest && one.listen === listen && (port === 0 || one.port === port));
    if (holder === undefined) return await this.#start();
    const deadline = Date.now() + startMilliseconds;
    while (isAlive(holder) && Date.now() < deadline && !this.#letGo) {
      await pause(20);
      const serving = this.#processes.serving;
      if (serving !== undefined) return { port: serving.port };
    }
    throw new Error(`The ingress does not start on ${listen}, port ${holder.port}: ${this.#files.lastWords()}`);
  }

  /** No order reaches it, but a signal does: it finishes what it has, while its holder starts another one beside it. */
  async #relieve(deaf: ProcessRecord): Promise<{ port: number }> {
    const { log } = this.#options;
    log.warn(`${dirname(deaf.control)} of the ingress is not ours any more: another process takes over.`);
    signal(deaf, 'SIGTERM');
    for (const deadline = Date.now() + startMilliseconds; Date.now() < deadline; await pause(20)) {
      const serving = this.#processes.serving;
      if (serving !== undefined && serving.pid !== deaf.pid) return { port: serving.port };
    }
    throw new Error(`Another process of the ingress does not start on port ${deaf.port}: ${this.#files.lastWords()}`);
  }

  async #handOver(serving: ProcessRecord): Promise<void> {
    const { program, log, trustedProxies: trust = [] } = this.#options;
    if (performance.now() - this.#handOverFailed < handOverPause) return;
    // Version 0.1 is told the program, later ones where the words are that start it.
    const order = { digest: this.#digest, holder: holderScript, program, trust };
    const failure = await this.#order(serving, order);
    const now = this.#processes.serving;
    if (now !== undefined && now.digest === this.#digest && isHeld(now)) {
      log.info(
        serving.digest === this.#digest ? 'The socket of the ingress has a new holder.' : 'A newer ingress took over.',
      );
      return;
    }
    this.#handOverFailed = performance.now();
    log.warn(`The ingress stays as it is: ${failure ?? this.#files.lastWords()}`);
  }

  async #order(serving: ProcessRecord, body: object): Promise<string | undefined> {
    try {
      await order(serving.control, 'hand-over', body, 15_000);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #start(): Promise<{ port: number }> {
    this.#processes.endHolders();
    const before = this.#files.serving();
    const { port, listen } = this.#options;
    const wanted = port === 0 && before?.listen === listen ? before.port : port;
    const place = { files: this.#files, digest: this.#digest, listen };
    try {
      return await holdPort({ ...place, port: wanted });
    } catch (error) {
      // A program that fails would fail at another port, too.
      if (!(error instanceof CannotHold) || port !== 0 || wanted === 0) throw error;
      return await holdPort({ ...place, port: 0 });
    }
  }

  /** Unreferenced timers, which do not keep a stopping agent alive. */
  #watch(milliseconds: number, before?: string): void {
    this.#watching = setTimeout(async () => {
      let said = before;
      const serving = this.#processes.serving;
      const unheld = serving && !isHeld(serving) && performance.now() - this.#handOverFailed > handOverPause;
      if (serving === undefined || unheld || this.#processes.isDeaf(serving)) {
        try {
          await this.ensure();
          if (serving === undefined) this.#options.log.warn('The ingress was started again.');
          this.#failures = 0;
          said = undefined;
        } catch (error) {
          this.#failures += 1;
          const message = error instanceof Error ? error.message : String(error);
          if (message !== said) this.#options.log.warn(message);
          said = message;
        }
      }
      if (!this.#letGo) this.#watch(backOff(this.#failures + 1, looks), said);
    }, milliseconds).unref();
  }
}

/** Options of its processes; others are another program. */
function settings({ trustedProxies = [], limits }: IngressOptions): string[] {
  const trust = trustedProxies.flatMap((range) => ['--trust', range]);
  if (limits === undefined) return trust;
  const { connections, requests } = limits;
  return [...trust, '--client-connections', String(connections), '--client-requests', String(requests)];
}

/** An ingress without a holder would take its port along when it dies. */
function isHeld({ holder }: ProcessRecord): boolean {
  return holder !== undefined && isAlive(holder);
}
