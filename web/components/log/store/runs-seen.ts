import { hasFailed, type LogRow, type RunEnd } from '../rows.ts';

/** The ends of runs that a log has told of, also of those whose lines are not read. */
export class RunsSeen {
  readonly #ends = new Map<string, RunEnd>();
  /** Of each channel: the run that the last row belongs to, and whether its end was told. */
  readonly #current = new Map<string, { run: number; ended: boolean }>();
  /** Channels of which lines were read. */
  readonly #begun = new Set<string>();

  get any(): boolean {
    return this.#current.size > 0;
  }

  /** The last run that failed. */
  get failure(): RunEnd | undefined {
    return [...this.#ends.values()].filter(hasFailed).reduce<RunEnd | undefined>((last, end) => {
      return last === undefined || end.at >= last.at ? end : last;
    }, undefined);
  }

  forgetPlaces(): void {
    this.#current.clear();
    this.#begun.clear();
  }

  hasBegun(channel: string): boolean {
    return this.#begun.has(channel);
  }

  /** Whether a row belongs behind those that came: a stream that is reopened tells of all runs again. */
  follows(row: LogRow): boolean {
    const current = this.#current.get(row.channel);
    if (row.kind === 'line') {
      this.#begun.add(row.channel);
      if (row.run !== undefined && row.run !== current?.run) {
        this.#current.set(row.channel, { run: row.run, ended: false });
      }
      return true;
    }
    if (row.kind === 'missing') return true;
    this.#ends.set(row.id, row);
    if (current !== undefined && (row.run < current.run || (row.run === current.run && current.ended))) return false;
    this.#current.set(row.channel, { run: row.run, ended: true });
    return true;
  }
}
