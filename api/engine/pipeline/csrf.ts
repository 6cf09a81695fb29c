import { Problem } from '../../../domain/problems.ts';
import type { Caller } from '../caller.ts';
import type { Incoming } from '../input/incoming.ts';

/** A cookie goes along with whatever a page of a stranger sends; a header of ours does not. */
export function checkCsrf(incoming: Incoming, caller: Caller): void {
  if (caller.credential.kind !== 'session' || incoming.named.operation.method === 'GET') return;
  if (incoming.headers['x-svc-csrf'] === '1') return;
  throw new Problem(
    'csrf-header-missing',
    'A request with a session that changes something must carry the header X-Svc-CSRF: 1; without it, it counts as signed out.',
  );
}
