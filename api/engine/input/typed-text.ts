import type { z } from 'zod';
import { inputSchema } from './json-schema.ts';

type Read = (text: string) => unknown;

/**
 * Path and query are texts; the schemas of operations speak of numbers and booleans. This reads each field as the type
 * its schema names. What cannot be read stays a text, and the schema then refuses it at its place.
 */
export function typedText(schema: z.ZodType): (fields: Record<string, unknown>) => Record<string, unknown> {
  const readers = new Map<string, Read>();
  const lists = new Set<string>();
  for (const [name, field] of Object.entries(inputSchema(schema).properties ?? {})) {
    if (typeof field !== 'object') continue;
    const inner = field.type === 'array' && typeof field.items === 'object' && !Array.isArray(field.items);
    if (inner) lists.add(name);
    const type = inner && typeof field.items === 'object' ? Reflect.get(field.items, 'type') : field.type;
    if (type === 'integer' || type === 'number') readers.set(name, readNumber);
    if (type === 'boolean') readers.set(name, readBoolean);
  }
  if (readers.size === 0 && lists.size === 0) return (fields) => fields;
  return (fields) => {
    const typed: Record<string, unknown> = { ...fields };
    for (const name of lists) if (typeof typed[name] === 'string') typed[name] = [typed[name]];
    for (const [name, read] of readers) {
      const value = typed[name];
      if (typeof value === 'string') typed[name] = read(value);
      else if (Array.isArray(value) && lists.has(name))
        typed[name] = value.map((one) => (typeof one === 'string' ? read(one) : one));
    }
    return typed;
  };
}

function readNumber(text: string): unknown {
  return /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

function readBoolean(text: string): unknown {
  return text === 'true' ? true : text === 'false' ? false : text;
}
