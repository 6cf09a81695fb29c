import type { z } from 'zod';
import type { FieldError } from '../../../domain/problems.ts';
import { isSecretAt } from './secret-fields.ts';
import { printable } from './text.ts';

type Part = 'path' | 'query' | 'body';
type Issue = z.core.$ZodIssue;

const most = 100;

/** Zod's issues as the errors of the API: each with its place in the request, secrets not repeated. */
export function fieldErrors(part: Part, schema: z.ZodType, input: unknown, issues: readonly Issue[]): FieldError[] {
  return issues
    .flatMap((issue) => flattened(issue, issue.path))
    .slice(0, most)
    .map(({ issue, path }) => {
      const error: FieldError = { message: issue.message, location: locationOf(part, path) };
      const value = valueAt(input, path);
      const shown = issue.code !== 'unrecognized_keys' && isPlain(value) && !isSecretAt(schema, path);
      return shown ? { ...error, value: cut(value) } : error;
    });
}

/** `body`, ['items', 2, 'kind'] → `body.items[2].kind`. */
export function locationOf(part: string, path: readonly PropertyKey[]): string {
  let location = part;
  for (const step of path) location += typeof step === 'number' ? `[${step}]` : `.${printable(String(step))}`;
  return location;
}

interface Placed {
  issue: { code: Issue['code']; message: string };
  path: readonly PropertyKey[];
}

/** One error for each unknown field at its own place; of a union, the errors of the alternative that comes closest. */
function flattened(issue: Issue, path: readonly PropertyKey[]): Placed[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      issue: { code: issue.code, message: 'is not a field that is known here' },
      path: [...path, key],
    }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = issue.errors.toSorted((a, b) => distance(a) - distance(b))[0] ?? [];
    if (closest.length > 0) return closest.flatMap((inner) => flattened(inner, [...path, ...inner.path]));
  }
  return [{ issue, path }];
}

/** An alternative that fails at its own top is further away than one that fails deep inside or in more fields. */
function distance(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.path.length === 0 && issue.code === 'invalid_type' ? 1000 : 1), 0);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** Objects and arrays are not repeated: they can hold anything, and a secret among it. */
function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function cut(value: string | number | boolean | null): unknown {
  return typeof value === 'string' && value.length > 200 ? `${value.slice(0, 200)}…` : value;
}
