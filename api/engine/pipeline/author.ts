import { context, propagation } from '@opentelemetry/api';
import type { Author } from '../../../db/engine/author.ts';
import type { Incoming } from '../input/incoming.ts';

/** Who causes the effect of a request: the caller, or for a public operation the client address. */
export function authorOf(incoming: Incoming): Author {
  const { caller, address: ip, requestId } = incoming;
  const author: Author = caller?.author ?? { kind: 'machine', id: 'public', name: 'anonymous', ip, requestId };
  const trace: Record<string, string> = {};
  propagation.inject(context.active(), trace);
  return 'traceparent' in trace ? { ...author, trace } : author;
}
