/** A size for people, in the unit in which it is a short number. */
export function inUnits(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1_000 ** at).toFixed(1))} ${units[at]}`;
}
