import { Problem } from '../../domain/problems.ts';

const deepest = 32;
/** A cluster with thousands of instances stays far below; to check more would stop everybody else for seconds. */
const mostValues = 200_000;

/**
 * Reports hold the output of programs, which can be anything. Text that PostgreSQL cannot hold (a NUL, half
 * of a surrogate pair) is mended and not refused: the rest of the report is true.
 */
export function cleanText(value: unknown): unknown {
  return cleaned(value, 0, { values: 0 });
}

function cleaned(value: unknown, depth: number, counted: { values: number }): unknown {
  counted.values += 1;
  if (counted.values > mostValues) {
    throw new Problem(
      'body-too-large',
      `What the agent sent holds more than ${mostValues.toLocaleString('en')} values; it has to send less at once.`,
    );
  }
  if (typeof value === 'string') return isClean(value) ? value : mended(value);
  if (typeof value !== 'object' || value === null) return value;
  // The protocol knows nothing that lies so deep, and what nests without end must not exhaust the stack.
  if (depth > deepest) return null;
  if (Array.isArray(value)) return value.map((inner) => cleaned(inner, depth + 1, counted));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [mended(key), cleaned(inner, depth + 1, counted)]),
  );
}

function isClean(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function mended(text: string): string {
  return isClean(text) ? text : text.replaceAll('\0', '\u{fffd}').toWellFormed();
}
