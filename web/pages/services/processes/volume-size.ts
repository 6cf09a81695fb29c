export const gibibyte = 1024 ** 3;
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes in the largest unit of which there is one, with at most one decimal. */
export function sizeText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1)).toLocaleString('en')} ${units[power]}`;
}
