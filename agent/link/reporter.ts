import type { Observed, Report } from '../../protocol/observed.ts';

/**
 * Makes reports out of what is observed: all of it first, then what changed. A report is the same, with the same number,
 * until it is acknowledged. Measurements alone (memory, traffic, disk) are worth a report only now and then.
 */
export class Reporter {
  #number = 0;
  #full = true;
  #open: { report: Report; slices: Map<string, string>; head: string } | undefined;
  #known = new Map<string, string>();
  #head = '';
  #available = 0;

  /** The next report; nothing if nothing changed. `measurements` says whether those count as a change this time. */
  next(observed: Observed, measurements: boolean): Report | undefined {
    if (this.#open !== undefined) return this.#open.report;
    const slices = new Map(observed.slices.map((slice) => [slice.key, JSON.stringify(slice)]));
    const { disk } = observed;
    const head = JSON.stringify([observed.appliedRevision, observed.error, disk?.pressure === true]);
    const changed = observed.slices.filter((slice) => {
      const before = this.#known.get(slice.key);
      const now = slices.get(slice.key);
      if (this.#full || before === undefined) return true;
      return before !== now && (measurements || withoutMeasurements(before) !== withoutMeasurements(now ?? ''));
    });
    const removed = [...this.#known.keys()].filter((key) => !slices.has(key));
    const isFuller =
      measurements && disk !== undefined && Math.abs(disk.availableBytes - this.#available) > disk.capacityBytes / 100;
    const same = changed.length === 0 && removed.length === 0 && head === this.#head;
    if (!this.#full && same && !isFuller) return undefined;
    const report: Report = {
      number: this.#number + 1,
      full: this.#full,
      appliedRevision: observed.appliedRevision,
      ...(observed.error === undefined ? {} : { error: observed.error }),
      ...(disk === undefined ? {} : { disk }),
      slices: changed,
      removed: this.#full ? [] : removed,
    };
    const sent = new Map(this.#full ? [] : this.#known);
    for (const key of removed) sent.delete(key);
    for (const slice of changed) sent.set(slice.key, slices.get(slice.key) ?? '');
    this.#open = { report, slices: sent, head };
    return report;
  }

  acknowledged(): void {
    if (this.#open === undefined) return;
    this.#number = this.#open.report.number;
    this.#known = this.#open.slices;
    this.#head = this.#open.head;
    this.#available = this.#open.report.disk?.availableBytes ?? 0;
    this.#full = false;
    this.#open = undefined;
  }

  /**
   * A refused report will never be accepted; the next one is built from the state at that time, under the same number.
   */
  refused(): void {
    this.#open = undefined;
    this.#full = true;
  }

  /** The next report tells everything again: what the control plane knows may have been restored from a copy. */
  again(): void {
    this.#full = true;
  }
}

function withoutMeasurements(slice: string): string {
  return JSON.stringify(JSON.parse(slice || '{}'), (key, value: unknown) =>
    key === 'memoryBytes' || key === 'usedBytes' || key === 'traffic' ? undefined : value,
  );
}
