import type { Facts, HelloAnswer, HelloRequest } from '../../protocol/agent.ts';
import type { Observed } from '../../protocol/observed.ts';
import { protocolVersion } from '../../protocol/version.ts';
import { type Log, reason } from '../program/log.ts';
import { pause, SpreadBackOff } from './back-off.ts';
import type { Client } from './client.ts';
import { LinkFailure } from './link-failure.ts';
import type { ReadWork } from './read-work.ts';
import { Reporter } from './reporter.ts';

export interface LinkOptions {
  client: Client;
  version: string;
  image: string;
  journalId: string;
  returned?: HelloRequest['returned'];
  facts(): Promise<Facts>;
  /** Commands that the journal knows and that are not reported yet. */
  journalled(): string[];
  /** Commands at work. */
  running(): string[];
  observed(): Observed;
  /** Of the readers of logs that are known. */
  logsRevision(): string;
  /** Takes the work; what it was asked for with is `since`. It is asked for again if this fails. */
  take(work: ReadWork, since: number): Promise<void>;
  connected?(answer: HelloAnswer): void | Promise<void>;
  /** Makes a new credential; asked for by the control plane. */
  rotate?(): Promise<void>;
  /** The credential was refused: whether there is another one to try. */
  credentialRefused?(): boolean;
  /** Whether the last request was answered, and if not, why. */
  state?(state: { connected: boolean; error?: string }): void;
  log: Log;
  waitSeconds?: number;
}

/** Why the link ended for good; `stopped` is by `signal`. */
export type Ending = 'superseded' | 'cluster-deleted' | 'stopped';

/** How often measurements alone are reported, and how often everything is. */
const measurementMillis = 30_000;
const fullMillis = 600_000;
/** A report that was refused will be refused again, unless something changes meanwhile. */
const refusedMillis = 15_000;
/** After this time without an answered heartbeat, readers of a live log are presumed gone. */
const leaseMillis = 60_000;

/**
 * Keeps an agent in touch with its control plane, for ever: hello, then heartbeats, work and reports side by side. It
 * needs no driver: whoever gives it facts and observations is an agent.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #reporter = new Reporter();
  readonly #ending = new AbortController();
  #ended: Ending | undefined;
  #wakeReport: () => void = () => {};
  #facts = '';
  #lastAnswer = performance.now();
  #said = '';
  #refusals = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** The observed state has changed. */
  changed(): void {
    this.#wakeReport();
  }

  /** Whether the control plane answered lately enough to hold our leases. */
  get holdsLeases(): boolean {
    return performance.now() - this.#lastAnswer < leaseMillis;
  }

  async run(signal: AbortSignal): Promise<Ending> {
    const stop = () => this.#end('stopped');
    signal.addEventListener('abort', stop);
    try {
      if (signal.aborted) return 'stopped';
      const answer = await this.#hello();
      if (answer !== undefined) {
        const beat = answer.heartbeatSeconds * 1000;
        await Promise.all([this.#heartbeats(beat), this.#work(), this.#reports()]);
      }
      return this.#ended ?? 'stopped';
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #hello(): Promise<HelloAnswer | undefined> {
    const { client, version, image, journalId, returned } = this.#options;
    return this.#untilAnswered(async () => {
      const facts = await this.#options.facts();
      const journalled = this.#options.journalled();
      const protocol = { ...protocolVersion };
      const answer = await client.hello({
        protocol,
        version,
        image,
        journalId,
        journalled,
        facts,
        ...(returned === undefined ? {} : { returned }),
      });
      this.#facts = JSON.stringify(facts);
      await this.#options.connected?.(answer);
      return answer;
    });
  }

  async #heartbeats(millis: number): Promise<void> {
    let factsAt = performance.now();
    while (!this.#ending.signal.aborted) {
      await pause(millis * (0.9 + Math.random() * 0.2), this.#ending.signal);
      await this.#untilAnswered(async () => {
        const running = this.#options.running();
        const changed = performance.now() - factsAt > 60_000 ? await this.#changedFacts() : undefined;
        const body = { running, ...(changed === undefined ? {} : { facts: changed }) };
        const { rotate } = await this.#options.client.heartbeat(body, this.#ending.signal);
        if (changed !== undefined) this.#facts = JSON.stringify(changed);
        if (performance.now() - factsAt > 60_000) factsAt = performance.now();
        if (rotate) await this.#options.rotate?.();
      });
    }
  }

  async #changedFacts(): Promise<Facts | undefined> {
    const facts = await this.#options.facts();
    return JSON.stringify(facts) === this.#facts ? undefined : facts;
  }

  async #work(): Promise<void> {
    let since = 0;
    let before = '';
    while (!this.#ending.signal.aborted) {
      await this.#untilAnswered(async () => {
        const wait = this.#options.waitSeconds ?? 25;
        const work = await this.#options.client.work(since, wait, this.#options.logsRevision(), this.#ending.signal);
        await this.#options.take(work, since);
        if (work.desired !== undefined) since = work.desired.revision;
        const ids = JSON.stringify([work.commands.map(({ id, attempt }) => [id, attempt]), work.cancelled]);
        // The same again: what was taken is still on its way to being known there. No reason to ask in a circle.
        if (work.desired === undefined && ids === before && ids !== '[[],[]]') await pause(1000, this.#ending.signal);
        before = ids;
      });
    }
  }

  async #reports(): Promise<void> {
    let measuredAt = performance.now();
    let fullAt = performance.now();
    while (!this.#ending.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wakeReport = resolve;
      });
      const measurements = performance.now() - measuredAt > measurementMillis;
      if (performance.now() - fullAt > fullMillis) {
        this.#reporter.again();
        fullAt = performance.now();
      }
      if (measurements) measuredAt = performance.now();
      const report = this.#reporter.next(this.#options.observed(), measurements);
      if (report === undefined) {
        const over = new AbortController();
        const stop = AbortSignal.any([over.signal, this.#ending.signal]);
        await Promise.race([woken, pause(5000 + Math.random() * 1000, stop)]);
        over.abort();
        continue;
      }
      await this.#untilAnswered(async () => {
        try {
          await this.#options.client.report(report, this.#ending.signal);
          this.#reporter.acknowledged();
        } catch (error) {
          if (!(error instanceof LinkFailure) || error.kind !== 'refused') throw error;
          this.#options.log.warn(`A report was refused: ${error.message}`);
          this.#reporter.refused();
          await pause(refusedMillis, this.#ending.signal);
        }
      });
    }
  }

  /** Tries until it works; nothing only when the link has ended. */
  async #untilAnswered<T>(attempt: () => Promise<T>): Promise<T | undefined> {
    const backOff = new SpreadBackOff();
    while (!this.#ending.signal.aborted) {
      try {
        const answer = await attempt();
        this.#answered();
        return answer;
      } catch (error) {
        if (this.#ending.signal.aborted) break;
        await pause(this.#waitAfter(error, backOff), this.#ending.signal);
      }
    }
    return undefined;
  }

  #waitAfter(error: unknown, backOff: SpreadBackOff): number {
    const message = reason(error);
    if (message !== this.#said) this.#options.log.warn(message);
    this.#said = message;
    this.#options.state?.({ connected: false, error: message });
    if (!(error instanceof LinkFailure)) return backOff.next();
    if (error.kind === 'superseded' || error.kind === 'cluster-deleted') this.#end(error.kind);
    if (error.kind === 'no-credential') {
      this.#refusals += 1;
      const other = this.#options.credentialRefused?.() ?? false;
      return other && this.#refusals % 2 === 1 ? backOff.next() : 60_000;
    }
    if (error.kind === 'too-old') return 60_000;
    return backOff.next(error.retryAfterMillis);
  }

  #answered(): void {
    this.#lastAnswer = performance.now();
    if (this.#said !== '') this.#options.log.info('The control plane answers again.');
    this.#said = '';
    this.#refusals = 0;
    this.#options.state?.({ connected: true });
  }

  #end(ending: Ending): void {
    this.#ended ??= ending;
    this.#ending.abort();
  }
}
