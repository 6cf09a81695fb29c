import type { LogRow } from './rows.ts';

/** The rows that contain a text. Rows that were looked at stay looked at while more are appended. */
export class Matches {
  #text = '';
  #rows: readonly LogRow[] = [];
  #looked = 0;
  #first: LogRow | undefined;
  #found: number[] = [];

  of(rows: readonly LogRow[], text: string): readonly number[] {
    const wanted = text.toLowerCase();
    const same = wanted === this.#text && rows.length >= this.#looked && rows[0] === this.#first;
    // Rows that came late are put between others.
    const continued = same && (this.#looked === 0 || rows[this.#looked - 1] === this.#rows.at(-1));
    if (!continued) [this.#looked, this.#found] = [0, []];
    [this.#text, this.#first] = [wanted, rows[0]];
    if (wanted === '') return [];
    if (this.#looked === rows.length) return this.#found;
    const more = [...this.#found];
    for (let index = this.#looked; index < rows.length; index += 1) {
      const row = rows[index];
      if (row?.kind === 'line' && row.text.toLowerCase().includes(wanted)) more.push(index);
    }
    this.#found = more;
    this.#looked = rows.length;
    const last = rows.at(-1);
    this.#rows = last === undefined ? [] : [last];
    return more;
  }
}

/** The match in front of a row or behind it, beginning again at the other end. */
export function nextMatch(found: readonly number[], from: number, direction: 1 | -1): number | undefined {
  if (direction === 1) return found.find((index) => index > from) ?? found[0];
  return found.findLast((index) => index < from) ?? found.at(-1);
}

/** Where a text stands in another, as pairs of begin and end. */
export function placesOf(text: string, wanted: string): [from: number, to: number][] {
  if (wanted === '') return [];
  const places: [number, number][] = [];
  const low = text.toLowerCase();
  const looked = wanted.toLowerCase();
  for (let at = low.indexOf(looked); at !== -1; at = low.indexOf(looked, at + looked.length)) {
    places.push([at, at + looked.length]);
  }
  return places;
}
