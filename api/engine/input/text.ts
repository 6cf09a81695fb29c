import type { FieldError } from '../../../domain/problems.ts';

/** More than any real request has. */
export const deepest = 64;
export const tooDeep = `is nested deeper than ${deepest} levels`;
/** More than any real request has: what comes after costs far more to check than it cost to send. */
const mostValues = 50_000;
const mostErrors = 100;

type Part = 'path' | 'query' | 'body';

/**
 * Finds texts that no field can hold: those with a NUL character, which PostgreSQL refuses, or with half of a surrogate
 * pair, which UTF-8 cannot express. Also what nests deeper than anything we read, the key `__proto__`, and requests of
 * more values than any operation takes.
 */
export function unfitText(part: Part, value: unknown, most = mostValues): FieldError[] {
  const found: Found = { errors: [], values: 0, most };
  visit(value, part, 0, found);
  if (found.values <= most) return found.errors;
  return [{ message: `holds more than ${most.toLocaleString('en')} values; send fewer at once`, location: part }];
}

interface Found {
  errors: FieldError[];
  values: number;
  most: number;
}

function visit(value: unknown, location: string, depth: number, found: Found): void {
  found.values += 1;
  if (found.values > found.most) return;
  if (typeof value === 'string') {
    const message = fault(value);
    if (message !== undefined) note(found, message, location);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= deepest) {
    note(found, tooDeep, shortened(location));
    return;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && found.values <= found.most; index += 1) {
      visit(value[index], `${location}[${index}]`, depth + 1, found);
    }
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (found.values > found.most) return;
    const message = key === '__proto__' ? 'is not a field that is known here' : fault(key);
    if (message !== undefined) note(found, message, `${location}.${printable(key)}`);
    else visit(inner, `${location}.${key}`, depth + 1, found);
  }
}

function note({ errors }: Found, message: string, location: string): void {
  if (errors.length < mostErrors) errors.push({ message, location });
}

function fault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character; remove it';
  if (!text.isWellFormed()) return 'is not valid Unicode; send whole characters';
  return undefined;
}

/** A key as it may stand in an answer: nothing that breaks a line, a log or the answer's own encoding. */
export function printable(key: string): string {
  return shortened(key.toWellFormed().replace(/\p{Cc}/gu, '\ufffd'));
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
