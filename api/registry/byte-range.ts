export interface ByteRange {
  first: number;
  /** Included. */
  last: number;
}

/** The part that a `Range` asks for. Undefined: all of it, as for forms that need not be served. */
export function rangeWithin(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const count = Math.min(Number(to), size);
    return count === 0 ? 'unsatisfiable' : { first: size - count, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= size ? 'unsatisfiable' : { first, last };
}

/** Where a chunk of an upload lies: `<first>-<last>`, without the unit that the specification leaves out, or with it. */
export function chunkRange(header: string | undefined): ByteRange | 'malformed' | undefined {
  if (header === undefined) return undefined;
  const [, first, last] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d{1,15}|\*))?$/.exec(header) ?? [];
  if (first === undefined || Number(last) < Number(first)) return 'malformed';
  return { first: Number(first), last: Number(last) };
}
