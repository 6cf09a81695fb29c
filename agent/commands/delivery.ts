import type { CommandBody, CommandResult } from '../../protocol/command.ts';
import type { Driver } from '../drivers/driver.ts';
import type { Entry, Journal } from '../journal/journal.ts';
import { pause, SpreadBackOff } from '../link/back-off.ts';
import type { Client } from '../link/client.ts';
import { LinkFailure } from '../link/link-failure.ts';
import { type Log, reason } from '../program/log.ts';
import type { Run, RunResult } from './run.ts';

/** Tells what commands say and how they ended, in this order, again and again until it is acknowledged. */
export class Delivery {
  readonly #journal: Journal;
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #log: Log;
  readonly #busy = new Set<string>();

  constructor(journal: Journal, client: Client, signal: AbortSignal, log: Log) {
    this.#journal = journal;
    this.#client = client;
    this.#signal = signal;
    this.#log = log;
  }

  /** There is something to tell of this command. */
  deliver(id: string): void {
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    void this.#tellAll(id)
      .catch((error: unknown) => this.#log.warn(`Command ${id} cannot be reported: ${reason(error)}`))
      .finally(() => {
        this.#busy.delete(id);
        // Something may have come after the last look and found us busy.
        if (!this.#signal.aborted && this.#isOpen(id)) this.deliver(id);
      });
  }

  #isOpen(id: string): boolean {
    const entry = this.#journal.get(id);
    if (entry === undefined || entry.state === 'gone') return false;
    return entry.state === 'finished' || !this.#journal.spool(id).isEmpty;
  }

  repeat({ id, result }: Entry): void {
    if (result !== undefined) void this.tell(id, result);
  }

  /** Tells the result of what is not in the journal. */
  async tell(id: string, result: CommandResult): Promise<void> {
    await this.#send(() => this.#client.result(id, result, this.#signal));
  }

  async #tellAll(id: string): Promise<void> {
    // A moment, so that pieces that come close together go together.
    await pause(50, this.#signal);
    while (!this.#signal.aborted) {
      const entry = this.#journal.get(id);
      if (entry === undefined || entry.state === 'gone') return;
      const spool = this.#journal.spool(id);
      const pieces = spool.batch();
      const last = pieces.at(-1);
      if (last !== undefined) {
        if (await this.#send(() => this.#client.output(id, pieces, this.#signal))) spool.acknowledge(last.number);
        continue;
      }
      if (entry.state !== 'finished' || entry.result === undefined) return;
      const { result } = entry;
      if (await this.#send(() => this.#client.result(id, result, this.#signal))) this.#journal.gone(id);
    }
  }

  /** Whether it is settled: acknowledged, or refused for good, which telling it again would not change. */
  async #send(attempt: () => Promise<void>): Promise<boolean> {
    const backOff = new SpreadBackOff();
    while (!this.#signal.aborted) {
      try {
        await attempt();
        return true;
      } catch (error) {
        if (error instanceof LinkFailure && error.kind === 'refused') return true;
        const asked = error instanceof LinkFailure ? error.retryAfterMillis : undefined;
        await pause(backOff.next(asked), this.#signal);
      }
    }
    return false;
  }
}

/** Runs a program in an instance, no longer than its time. */
export async function execute(
  { instance, command, timeoutSeconds }: Extract<CommandBody, { kind: 'exec' }>,
  run: Run,
  driver: Driver,
): Promise<RunResult> {
  const late = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const signal = AbortSignal.any([run.signal, late]);
    const { code } = await driver.exec(instance, command, { began: run.began, output: run.output, signal });
    if (!signal.aborted) return { outcome: 'done', exitCode: code };
  } catch (error) {
    if (!late.aborted || run.signal.aborted) throw error;
  }
  if (run.signal.aborted) return { outcome: 'cancelled' };
  return { outcome: 'failed', message: `It did not end within ${timeoutSeconds} s and was stopped.` };
}
