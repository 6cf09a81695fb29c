import { type Command, isJournalled } from '../../protocol/command.ts';
import type { Builders } from '../builders/builders.ts';
import type { Driver } from '../drivers/driver.ts';
import type { Entry, Journal } from '../journal/journal.ts';
import type { RunRequest } from '../keep/on-demand.ts';
import { pause, SpreadBackOff } from '../link/back-off.ts';
import type { Client } from '../link/client.ts';
import { type Log, reason } from '../program/log.ts';
import { backupVolume } from '../volumes/backup-volume.ts';
import { endInterruptedRestore, restoreVolume } from '../volumes/restore-volume.ts';
import type { StandstillRequest } from '../volumes/standstill.ts';
import { deleteVolumes } from './delete-volumes.ts';
import { Delivery, execute } from './delivery.ts';
import type { Run, RunResult } from './run.ts';

export interface CommandsOptions {
  journal: Journal;
  client: Client;
  driver: Driver;
  restart(key: string, process: string | undefined, token: string): Promise<void>;
  /** The volumes that the wanted workload mounts. */
  mountsOf(key: string): ReadonlySet<string>;
  run(request: RunRequest): Promise<RunResult>;
  /** Does something while nothing runs that mounts a volume. */
  whileStill(request: StandstillRequest, work: () => void | Promise<void>): Promise<{ stoppedMillis?: number }>;
  builders: Pick<Builders, 'open' | 'build'>;
  update(body: Extract<Command['body'], { kind: 'update' }>, run: Run): Promise<RunResult | 'left open'>;
  log: Log;
}

/** So many run at once; the others wait, written down. */
const atOnce = 32;
const journalAgainMillis = 2_000;
const attemptsToEnd = 5;

/**
 * Runs what is to be done once, at most once, and tells how it went until that is acknowledged. What changes something is
 * in the journal before it starts.
 */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #delivery: Delivery;
  readonly #running = new Map<string, AbortController>();
  readonly #waiting: string[] = [];
  readonly #closing = new AbortController();

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#delivery = new Delivery(options.journal, options.client, this.#closing.signal, options.log);
  }

  /** Ends what an agent that was killed has left running; it does not wait for a control plane. */
  async endLeftovers(): Promise<void> {
    const left = this.#options.journal.open().filter(({ state }) => state === 'started');
    await Promise.all(left.map((entry) => this.#endLeftover(entry)));
  }

  /** Takes up what an earlier agent left. */
  start(): void {
    for (const entry of this.#options.journal.open()) {
      if (entry.state === 'finished') this.#delivery.deliver(entry.id);
      else if (entry.state === 'received' || entry.body?.kind === 'update') this.#enqueue(entry.id);
      else void this.#abandon(entry);
    }
  }

  accept(command: Command): void {
    if (!isJournalled(command.body)) {
      this.refuse(command);
      return;
    }
    const { journal, log } = this.#options;
    const known = journal.get(command.id);
    if (known !== undefined && known.attempt >= command.attempt) {
      // A late copy of what was acknowledged already: its result is told again, and nothing is done again.
      if (known.state === 'gone' && known.attempt === command.attempt) this.#delivery.repeat(known);
      return;
    }
    if (known !== undefined && this.#running.has(command.id)) {
      log.warn(
        `Attempt ${command.attempt} of command ${command.id} came while attempt ${known.attempt} runs; it is ignored.`,
      );
      return;
    }
    journal.receive(command);
    this.#enqueue(command.id);
  }

  /** A command that this version does not know, or no longer, is refused without being run. */
  refuse({ id, attempt }: { id: string; attempt: number }): void {
    const message = 'Agent and control plane are of versions that do not agree on this command; update the older one.';
    void this.#delivery.tell(id, { attempt, outcome: 'failed', message });
  }

  cancel(id: string): void {
    this.#running.get(id)?.abort();
    const at = this.#waiting.indexOf(id);
    const entry = this.#options.journal.get(id);
    if (at < 0 || entry === undefined) return;
    this.#waiting.splice(at, 1);
    this.#finish(entry, { outcome: 'cancelled' });
  }

  /** Whatever is not told to its end yet: their leases are to be kept. */
  running(): string[] {
    return this.#options.journal.open().map(({ id }) => id);
  }

  /** Lets go: what runs is `unknown` to the next agent, unless it ends before we do. */
  close(): void {
    this.#closing.abort();
  }

  /** Waits until nothing runs but these, or until the time is over. */
  async settled(except: string, millis: number): Promise<void> {
    const end = performance.now() + millis;
    while ([...this.#running.keys()].some((id) => id !== except) && performance.now() < end) await pause(50);
  }

  /** Leftovers are ended before the result is reported: a finished command must leave nothing running. */
  async #abandon(entry: Entry): Promise<void> {
    if (entry.body?.kind === 'restore-volume') {
      const result = await endInterruptedRestore(entry.body, entry.mark, this.#options.driver.volumes);
      await this.#written(entry.id, () => this.#finish(entry, result));
      return;
    }
    const backOff = new SpreadBackOff();
    let ended = await this.#endLeftover(entry);
    for (let attempt = 1; !ended && attempt < attemptsToEnd; attempt += 1) {
      await pause(backOff.next(), this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      ended = await this.#endLeftover(entry);
    }
    const interrupted = 'The agent was interrupted while this ran; whether it finished is not known.';
    const message = ended
      ? interrupted
      : `${interrupted} It cannot be ended and may still run until its instance ends.`;
    await this.#written(entry.id, () => this.#finish(entry, { outcome: 'unknown', message }));
  }

  async #endLeftover({ id, mark, body }: Entry): Promise<boolean> {
    if (body?.kind === 'restore-volume' || (mark === undefined && body?.kind !== 'build')) return true;
    try {
      if (body?.kind === 'build') await this.#options.builders.open();
      if (mark !== undefined) await this.#options.driver.endExec(mark);
      return true;
    } catch (error) {
      this.#options.log.warn(`Leftovers of command ${id} cannot be ended yet: ${reason(error)}`);
      return false;
    }
  }

  #enqueue(id: string): void {
    this.#waiting.push(id);
    this.#next();
  }

  #next(): void {
    while (this.#running.size < atOnce && !this.#closing.signal.aborted) {
      const id = this.#waiting.shift();
      if (id === undefined) return;
      const stopping = new AbortController();
      this.#running.set(id, stopping);
      void this.#run(id, stopping.signal).finally(() => {
        this.#running.delete(id);
        this.#next();
      });
    }
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    const entry = await this.#written(id, () => this.#options.journal.start(id));
    if (entry === undefined) return;
    const result = await this.#execute(entry, signal);
    if (result !== 'left open') await this.#written(id, () => this.#finish(entry, result));
  }

  /** The journal cannot always be written, on a full disk for example: tried again, or nobody would ever be told. */
  async #written<T>(id: string, write: () => T): Promise<T | undefined> {
    for (let said = false; !this.#closing.signal.aborted; said = true) {
      try {
        return write();
      } catch (error) {
        if (!said)
          this.#options.log.warn(`Command ${id} waits, because the journal cannot be written: ${reason(error)}`);
        await pause(journalAgainMillis, this.#closing.signal);
      }
    }
    return undefined;
  }

  async #execute(entry: Entry, signal: AbortSignal): Promise<RunResult | 'left open'> {
    const { journal, driver } = this.#options;
    const { id, starts, body } = entry;
    const spool = journal.spool(id);
    const stopping = this.#running.get(id);
    let lost: string | undefined;
    const run: Run = {
      id,
      starts,
      signal,
      began: (mark) => void journal.mark(id, mark),
      output: (stream, bytes) => {
        // Output arrives from the program's reader, which must not fail because our disk does.
        try {
          spool.add(stream, bytes);
          this.#delivery.deliver(id);
        } catch (error) {
          lost ??= reason(error);
          stopping?.abort();
        }
      },
    };
    try {
      if (body?.kind === 'exec') {
        const result = await execute(body, run, driver);
        return lost === undefined ? result : unwritten(lost);
      }
      if (body?.kind === 'build') {
        const result = await this.#options.builders.build(body, run);
        return lost === undefined ? result : unwritten(lost);
      }
      if (body?.kind === 'update') return await this.#options.update(body, run);
      if (body?.kind === 'restart') {
        await this.#options.restart(body.key, body.process, id);
        return { outcome: 'done', exitCode: 0 };
      }
      const machine = { volumes: driver.volumes, whileStill: this.#options.whileStill };
      if (body?.kind === 'backup-volume') return await backupVolume(body, run, machine);
      if (body?.kind === 'restore-volume') return await restoreVolume(body, run, machine);
      if (body?.kind === 'delete-volumes') return await deleteVolumes(body, this.#options);
      if (body?.kind === 'run') return await this.#options.run({ ...body, token: id, signal });
      return { outcome: 'failed', message: 'The journal does not say what this command was.' };
    } catch (error) {
      if (lost !== undefined) return unwritten(lost);
      return signal.aborted ? { outcome: 'cancelled' } : { outcome: 'failed', message: reason(error).slice(0, 4000) };
    }
  }

  #finish({ id, attempt }: Entry, result: RunResult): void {
    this.#options.journal.finish(id, { attempt, ...result });
    this.#delivery.deliver(id);
  }
}

function unwritten(why: string): RunResult {
  return { outcome: 'failed', message: `It was stopped, because its output cannot be written: ${why}`.slice(0, 4000) };
}
