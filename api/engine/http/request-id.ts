import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ClientAddress } from './client-address.ts';

/**
 * Every request has an id, which is answered and stands in every log line and audit record about it. One that came along
 * is kept only from a trusted proxy: anyone else could make the records of others look like theirs.
 */
export function requestIds(clients: ClientAddress): (request: IncomingMessage) => string {
  return (request) => {
    const given = request.headers['x-request-id'];
    const kept =
      typeof given === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(given) && clients.comesThroughProxy(request);
    return kept ? given : randomUUID();
  };
}
