import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonValue } from '../postgres/json.ts';

/** The list that a cursor is bound to: no other list accepts it. */
export interface CursorContext {
  operation: string;
  organizationId: string | undefined;
  filters: JsonValue;
}

const longest = 2_048;
const tagBytes = 16;

/** Turns a position into text that only we can make. The position can be read by anybody; it is not a secret. */
export function sealCursor(key: Buffer, cursor: CursorContext & { after: JsonValue }): string {
  const payload = Buffer.from(JSON.stringify(cursor.after), 'utf8');
  return Buffer.concat([tag(key, cursor, payload), payload]).toString('base64url');
}

/** The position, or undefined when the text is not a cursor that we made for this very list. */
export function openCursor(key: Buffer, text: string, context: CursorContext): JsonValue | undefined {
  if (text.length > longest || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Base64 ignores surplus bits: only the one way that we would write these bytes is ours.
  if (bytes.length <= tagBytes || bytes.toString('base64url') !== text) return undefined;
  const payload = bytes.subarray(tagBytes);
  if (!timingSafeEqual(bytes.subarray(0, tagBytes), tag(key, context, payload))) return undefined;
  const after: JsonValue = JSON.parse(payload.toString('utf8'));
  return after;
}

function tag(key: Buffer, context: CursorContext, payload: Buffer): Buffer {
  const { operation, organizationId = null, filters } = context;
  return createHmac('sha256', key)
    .update(JSON.stringify([operation, organizationId, sorted(filters)]))
    .update('\0')
    .update(payload)
    .digest()
    .subarray(0, tagBytes);
}

/** The same filters make the same text, in whatever order they were given. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
