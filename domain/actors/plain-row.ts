/** Reads the columns of a row whose type is not known where it is read. A column of another kind is a fault of ours. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('The column holds no text.');
}

export function optionalTextOf(value: unknown): string | null {
  return value === null || value === undefined ? null : textOf(value);
}

export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new TypeError('The column holds no number.');
}

/** A time as ISO 8601. */
export function isoOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  throw new TypeError('The column holds no time.');
}
