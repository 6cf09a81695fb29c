import type { FieldError } from '../../../domain/problems.ts';

const deepest = 64;

/**
 * Finds texts that no field can hold: those with a NUL character, which PostgreSQL refuses, or with half of a surrogate
 * pair, which UTF-8 cannot express. Also what nests deeper than anything we read, and the key `__proto__`.
 */
export function unfitText(part: 'path' | 'query' | 'body', value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, part, 0, errors);
  return errors;
}

function visit(value: unknown, location: string, depth: number, errors: FieldError[]): void {
  if (typeof value === 'string') {
    const message = fault(value);
    if (message !== undefined) errors.push({ message, location });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= deepest) {
    errors.push({ message: `is nested deeper than ${deepest} levels`, location: shortened(location) });
    return;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      visit(value[index], `${location}[${index}]`, depth + 1, errors);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const message = key === '__proto__' ? 'is not a field that is known here' : fault(key);
    if (message !== undefined) errors.push({ message, location: `${location}.${printable(key)}` });
    else visit(inner, `${location}.${key}`, depth + 1, errors);
  }
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
