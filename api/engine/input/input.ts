import type { z } from 'zod';
import { type FieldError, Problem } from '../../../domain/problems.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import type { AnyOperation } from '../operation.ts';
import { fieldErrors } from './field-errors.ts';
import { unfitText } from './text.ts';

export interface Input {
  path: unknown;
  query: unknown;
  body: unknown;
}

/** Checks the whole request against the operation's schemas and names every field at fault at once. */
export function checkedInput(operation: AnyOperation, given: Input, settings: Settings): Input {
  const errors: FieldError[] = [];
  const checked = {
    path: part('path', operation.path, given.path, errors),
    query: part('query', operation.query, given.query, errors),
    body: part('body', operation.body, given.body, errors, operation.largeBody?.(settings).values),
  };
  if (errors.length > 0) throw invalidFields(errors);
  return checked;
}

/** Of one field. Without its value, where that may be a secret. */
export function invalidField(location: string, message: string, value?: unknown): Problem {
  return invalidFields([{ location, message, value }]);
}

export function invalidFields(errors: FieldError[]): Problem {
  const first = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const detail = first === undefined ? 'The request is invalid.' : `${first.location}: ${first.message}${more}.`;
  return new Problem('invalid-field', detail.replace(/\.\.$/, '.'), { errors });
}

function part(
  name: keyof Input,
  schema: z.ZodType,
  value: unknown,
  errors: FieldError[],
  mostValues?: number,
): unknown {
  const unfit = unfitText(name, value, mostValues);
  if (unfit.length > 0) {
    errors.push(...unfit.slice(0, 100));
    return undefined;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  errors.push(...fieldErrors(name, schema, value, result.error.issues));
  return undefined;
}
