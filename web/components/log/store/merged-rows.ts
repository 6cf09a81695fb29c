import type { LogRow } from '../rows.ts';

/** Rows of several channels by time; those of one stay in their order, also where its clock went back. */
export class MergedRows {
  #rows: LogRow[] = [];
  #times: number[] = [];
  readonly #latest = new Map<string, number>();
  readonly #ids = new Set<string>();

  get rows(): readonly LogRow[] {
    return this.#rows;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  clear(): void {
    [this.#rows, this.#times] = [[], []];
    this.#latest.clear();
    this.#ids.clear();
  }

  /** Appends rows; one that comes late is put where it belongs. Answers how many were new. */
  append(rows: readonly LogRow[]): number {
    const before = this.#rows.length;
    this.#rows = [...this.#rows];
    for (const row of rows) {
      if (this.#ids.has(row.id)) continue;
      this.#ids.add(row.id);
      const time = Math.max(row.at, this.#latest.get(row.channel) ?? Number.NEGATIVE_INFINITY);
      this.#latest.set(row.channel, time);
      let at = this.#rows.length;
      while (at > 0 && (this.#times[at - 1] ?? 0) > time && this.#rows[at - 1]?.channel !== row.channel) at -= 1;
      if (at === this.#rows.length) {
        this.#rows.push(row);
        this.#times.push(time);
      } else {
        this.#rows.splice(at, 0, row);
        this.#times.splice(at, 0, time);
      }
    }
    return this.#rows.length - before;
  }

  /** Rows in front of those that are known of their channel. */
  prepend(rows: readonly LogRow[]): number {
    const fresh = rows.filter(({ id }) => !this.#ids.has(id));
    const [older, times] = [this.#rows, this.#times];
    const later = new Map(this.#latest);
    [this.#rows, this.#times] = [[], []];
    this.#latest.clear();
    for (const row of fresh) this.#ids.add(row.id);
    let next = 0;
    for (const row of fresh) {
      const time = Math.max(row.at, this.#latest.get(row.channel) ?? Number.NEGATIVE_INFINITY);
      this.#latest.set(row.channel, time);
      const isNext = (index: number) => (times[index] ?? 0) <= time && older[index]?.channel !== row.channel;
      for (; next < older.length && isNext(next); next += 1) this.#keep(older[next], times[next]);
      this.#keep(row, time);
    }
    for (; next < older.length; next += 1) this.#keep(older[next], times[next]);
    for (const [channel, time] of later) this.#latest.set(channel, time);
    return fresh.length;
  }

  /** Forgets the oldest ones. */
  drop(count: number): void {
    for (const { id } of this.#rows.slice(0, count)) this.#ids.delete(id);
    this.#rows = this.#rows.slice(count);
    this.#times = this.#times.slice(count);
  }

  /** Forgets the borders of a channel that has no line yet: their lines are not among those that are read. */
  dropBorders(channel: string): void {
    const kept = this.#rows.map((row) => row.channel !== channel || row.kind === 'missing');
    for (const [index, row] of this.#rows.entries()) if (kept[index] !== true) this.#ids.delete(row.id);
    this.#times = this.#times.filter((_, index) => kept[index]);
    this.#rows = this.#rows.filter((_, index) => kept[index]);
  }

  #keep(row: LogRow | undefined, time: number | undefined): void {
    if (row === undefined) return;
    this.#rows.push(row);
    this.#times.push(time ?? 0);
  }
}
