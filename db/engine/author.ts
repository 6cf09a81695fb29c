import type { JsonObject } from '../postgres/json.ts';

export const authorKinds = ['user', 'token', 'machine', 'actor'] as const;

/** Who causes an effect, and from where. Stands in the audit record and in the memo of what is started. */
export interface Author {
  kind: (typeof authorKinds)[number];
  id: string;
  name: string;
  ip?: string;
  requestId?: string;
  /** The trace it belongs to, as W3C headers (`traceparent`, `tracestate`). */
  trace?: Record<string, string>;
}

/** The author as an outbox entry stores it: without the address, since the entry ends up in a workflow's history. */
export function authorOfEntry(author: Author): JsonObject {
  const { kind, id, name, requestId } = author;
  return { kind, id, name, ...(requestId === undefined ? {} : { requestId }) };
}
