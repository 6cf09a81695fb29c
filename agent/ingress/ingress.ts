import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { rotate, tail } from '../../machine/log-files.ts';
import { holdersText } from '../../machine/port-holders.ts';
import { isAlive, signal } from '../../machine/process-identity.ts';
import { observedSlice } from '../../protocol/observed.ts';
import type { Log } from '../program/log.ts';
import { order } from './control.ts';
import { IngressFiles, type ProcessRecord } from './ingress-files.ts';
import { programDigest } from './program-digest.ts';
import type { Route, Traffic } from './route.ts';

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
  log: Log;
}

const lookMilliseconds = 100;
const startMilliseconds = 10_000;
const traffic = observedSlice.shape.traffic;
const state = z.object({ generation: z.int(), inFlight: z.record(z.string(), z.int()) });

/**
 * The agent's side of the ingress. The ingress itself is a process of its own that keeps serving without any agent; a later
 * agent finds it by its record.
 */
export class Ingress {
  readonly #options: IngressOptions;
  readonly #files: IngressFiles;
  readonly #digest: string;
  #watching: NodeJS.Timeout | undefined;
  #ensuring: Promise<{ port: number }> | undefined;
  #letGo = false;
  #failures = 0;
  #failure: string | undefined;
  #setting: Promise<void> = Promise.resolve();

  constructor(options: IngressOptions) {
    this.#options = options;
    this.#files = new IngressFiles(join(options.home, 'ingress'));
    this.#digest = programDigest(options.program);
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
        if (this.#watching === undefined && !this.#letGo) this.#watch(lookMilliseconds);
      });
    return await this.#ensuring;
  }

  /** The reason why the ingress is down, while it is being retried. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The ingress's port; undefined while it is down. */
  get port(): number | undefined {
    return this.#serving()?.port;
  }

  /** Resolves when every process of the ingress has applied these routes. */
  setRoutes(routes: readonly Route[]): Promise<void> {
    const setting = this.#setting.then(async () => {
      const generation = this.#files.routes().generation + 1;
      this.#files.writeRoutes(generation, routes);
      await Promise.all(this.#processes().map((record) => this.#told(record)));
    });
    this.#setting = setting.catch(() => undefined);
    return setting;
  }

  /** Requests in flight at an instance, in all processes of the ingress. */
  async inFlight(upstream: { host: string; port: number }): Promise<number> {
    const counts = await Promise.all(
      this.#processes().map(async (record) => {
        const answer = await this.#ask(record, 'state');
        return answer === undefined ? 0 : (state.parse(answer).inFlight[`${upstream.host}:${upstream.port}`] ?? 0);
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async traffic(): Promise<Traffic[]> {
    const serving = this.#serving();
    const answer = serving && (await this.#ask(serving, 'traffic'));
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
    await Promise.all(this.#processes().map((record) => this.#end(record, 'stop', 7_000)));
  }

  async #converge(): Promise<{ port: number }> {
    const { listen, port, program, trustedProxies = [], log } = this.#options;
    const serving = this.#serving();
    if (serving === undefined) return await this.#start();
    if ((await this.#ask(serving, 'state')) === undefined) {
      if (isAlive(serving)) log.warn('The ingress does not answer and is restarted.');
      await this.#end(serving, 'stop', 0);
      return await this.#start();
    }
    if (serving.listen !== listen || (port !== 0 && serving.port !== port)) {
      log.info(`The ingress moves to ${listen}, port ${port}.`);
      await order(serving.control, 'leave');
      return await this.#start();
    }
    if (serving.digest !== this.#digest) {
      try {
        await order(serving.control, 'hand-over', { program, digest: this.#digest, trust: trustedProxies }, 15_000);
        log.info('A newer ingress took over.');
      } catch (error) {
        log.warn(`The ingress stays as it is: ${error instanceof Error ? error.message : error}`);
      }
    }
    return { port: serving.port };
  }

  async #start(): Promise<{ port: number }> {
    const before = this.#files.serving();
    const { port, listen } = this.#options;
    const wanted = port === 0 && before?.listen === listen ? before.port : port;
    try {
      return await this.#spawn(wanted);
    } catch (error) {
      if (port !== 0 || wanted === 0) throw error;
      return await this.#spawn(0);
    }
  }

  async #spawn(port: number): Promise<{ port: number }> {
    const { listen, trustedProxies = [], program } = this.#options;
    const [file = '', ...first] = program;
    rotate(this.#files.ownLog);
    const log = openSync(this.#files.ownLog, 'a', 0o600);
    const child = spawn(
      file,
      [
        ...first,
        ...['--directory', this.#files.directory, '--port', String(port), '--listen', listen],
        ...['--digest', this.#digest, ...trustedProxies.flatMap((range) => ['--trust', range])],
      ],
      { cwd: '/', env: { PATH: process.env.PATH }, detached: true, stdio: ['ignore', log, log] },
    );
    closeSync(log);
    child.unref();
    let over = false;
    for (const event of ['exit', 'error']) {
      child.once(event, () => {
        over = true;
      });
    }
    for (const deadline = Date.now() + startMilliseconds; Date.now() < deadline && !over; await pause(20)) {
      const serving = this.#files.serving();
      if (serving?.pid === child.pid && serving && isAlive(serving)) return { port: serving.port };
    }
    child.kill('SIGKILL');
    const said = tail(this.#files.ownLog, 1_000).trim().split('\n').at(-1) ?? '';
    if (said.includes('EADDRINUSE')) {
      const holder = holdersText(port) ?? 'another program';
      throw new Error(
        `The ingress cannot listen on ${listen}, port ${port}: ${holder} has it. Stop that, or choose another port for the ingress; it is tried again.`,
      );
    }
    throw new Error(`The ingress does not start on ${listen}, port ${port}: ${said}`);
  }

  /** Unreferenced timers, which do not keep a stopping agent alive. */
  #watch(milliseconds: number, before?: string): void {
    this.#watching = setTimeout(async () => {
      let said = before;
      const serving = this.#files.serving();
      if (serving === undefined || !isAlive(serving)) {
        try {
          await this.ensure();
          this.#options.log.warn('The ingress was started again.');
          this.#failures = 0;
          said = undefined;
        } catch (error) {
          this.#failures += 1;
          const message = error instanceof Error ? error.message : String(error);
          if (message !== said) this.#options.log.warn(message);
          said = message;
        }
      }
      if (!this.#letGo) this.#watch(Math.min(lookMilliseconds * 2 ** this.#failures, 5_000), said);
    }, milliseconds).unref();
  }

  #serving(): ProcessRecord | undefined {
    const record = this.#files.serving();
    return record !== undefined && isAlive(record) ? record : undefined;
  }

  #processes(): ProcessRecord[] {
    const serving = this.#serving();
    return [...(serving ? [serving] : []), ...this.#files.leaving().filter(({ pid }) => pid !== serving?.pid)];
  }

  /** A process that has ended needs no routes; a new one reads them when it starts. */
  async #told(record: ProcessRecord): Promise<void> {
    try {
      await order(record.control, 'apply');
    } catch (error) {
      if (isAlive(record)) throw error;
    }
  }

  async #ask(record: ProcessRecord, name: string): Promise<unknown> {
    try {
      return await order(record.control, name);
    } catch {
      return undefined;
    }
  }

  async #end(record: ProcessRecord, how: 'stop', milliseconds: number): Promise<void> {
    if (milliseconds > 0) await this.#ask(record, how);
    for (const deadline = Date.now() + milliseconds; isAlive(record) && Date.now() < deadline; ) await pause(20);
    signal(record, 'SIGKILL');
    while (isAlive(record)) await pause(10);
    this.#files.removeLeaving(record);
    this.#files.removeControl(record.control);
  }
}
