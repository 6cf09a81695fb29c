import type { Body, FieldRule } from '../../../control-plane/body.ts';

export type Values = Readonly<Record<string, unknown>>;

/** The text that one field begins with: an empty one where there is nothing yet. */
export function startOf(names: readonly string[], body: Body, given: Values): Values {
  return Object.fromEntries(names.map((name) => [name, given[name] ?? (isText(body.fields[name]) ? '' : undefined)]));
}

/**
 * What is sent. Spaces around a text are left out. Of a thing that exists (`current`) only changes are sent, so that
 * concurrent changes of others survive, and null for a value that was emptied; of a new one an empty optional text is left out.
 */
export function bodyOf(values: Values, body: Body, current: Values | undefined): Values {
  const gone = (name: string) => body.fields[name]?.nullable === true && (current?.[name] ?? undefined) !== undefined;
  const filled = Object.entries(values).map(
    ([name, value]) => [name, value === undefined && gone(name) ? null : trimmed(value)] as const,
  );
  const sent = filled.filter(([name, value]) => {
    if (value === undefined) return false;
    if (current !== undefined) return !isSame(value, current[name]);
    return value !== '' || body.fields[name]?.required === true;
  });
  return Object.fromEntries(sent);
}

/** Of a thing that exists a text may be emptied only if the API takes an empty one. */
export function isRequired(rule: FieldRule, exists: boolean): boolean {
  return rule.required === true || (exists && (rule.minLength ?? 0) > 0);
}

/** The fault of a text before it is sent, in the words of the API. */
export function wrongText(rule: FieldRule, text: string): string | undefined {
  if (rule.pattern === undefined || rule.wrong === undefined || text === '') return undefined;
  return new RegExp(rule.pattern).test(text.trim()) ? undefined : asSentence(rule.wrong);
}

/** Messages of the API are about their field and begin small. */
export function asSentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** `expiresAt` → "Expires at" */
export function labelOf(name: string): string {
  return asSentence(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

/** Errors of one field and of what is inside of it: `claims`, `claims.ref`. */
export function errorsAt(name: string, fields: Readonly<Record<string, string>>): [place: string, message: string][] {
  const inside = new RegExp(`^body\\.${name}(?=$|[.[])`);
  return Object.entries(fields).filter(([place]) => inside.test(place));
}

/** Whether two values are the same, whatever the order of their parts. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

function isText(rule: FieldRule | undefined): boolean {
  return rule?.type === 'string' && rule.enum === undefined;
}

function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
