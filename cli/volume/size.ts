import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';

const units: readonly string[] = ['', 'K', 'M', 'G', 'T'];

/** Bytes, or binary multiples: `10G` is 10 times 1,024 times 1,024 times 1,024. */
export function bytesOf(word: string): number {
  const [, number = '', unit = ''] = /^(\d{1,15})([KMGT]?)(?:i?B)?$/i.exec(word) ?? [];
  const bytes = Number(number) * 1024 ** units.indexOf(unit.toUpperCase());
  if (Number.isSafeInteger(bytes) && bytes >= 1) return bytes;
  throw new UsageError(`"${printable(word)}" is no size; write 10G, 500M, or a number of bytes.`);
}

/** The largest unit in which it is a whole number that can be read, else one decimal. */
export function sizeText(bytes: number): string {
  const exact = units.findLastIndex((_, power) => power > 0 && bytes % 1024 ** power === 0);
  if (exact > 0 && bytes / 1024 ** exact < 10_000) return `${bytes / 1024 ** exact}${units[exact]}`;
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return power === 0 ? String(bytes) : `${(bytes / 1024 ** power).toFixed(1)}${units[power]}`;
}
