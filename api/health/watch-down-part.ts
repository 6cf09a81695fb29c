import { findDownPart } from '../../db/engine/processes/processes.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Hub } from '../engine/streams/hub.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Has readers fetch again what they show when a part has gone down or come back since the last look. */
    lookAtParts(): Promise<void>;
  }
}

/** No row changes when a part goes down, so no hint would say that all that waits for it has another blocker now. */
export function watchDownPart(database: Database, hub: Pick<Hub, 'resync'>): () => Promise<void> {
  let last: string | undefined;
  return async () => {
    const part = (await findDownPart(database.kysely))?.part;
    if (part === last) return;
    last = part;
    hub.resync('all');
  };
}
