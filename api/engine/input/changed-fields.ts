import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../../db/postgres/json.ts';

/** The fields that differ, as the audit log tells them: `from` and `to` beneath the name of each. */
export function changedFields(before: object, after: object): JsonObject {
  const details: JsonObject = {};
  for (const [field, to] of Object.entries(after)) {
    const from: unknown = Object.entries(before).find(([name]) => name === field)?.[1];
    if (!isDeepStrictEqual(from, to)) details[field] = { from: (from ?? null) as JsonValue, to: to as JsonValue };
  }
  for (const [field, from] of Object.entries(before)) {
    if (!Object.hasOwn(after, field)) details[field] = { from: from as JsonValue, to: null };
  }
  return details;
}
