import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { claimNext, delivered, dueActors, failed, poisonedAfter } from '../../db/engine/outbox.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Temporal } from '../connection/connect.ts';
import { openGate } from '../connection/gate.ts';
import { watchOutage } from '../connection/outage.ts';
import { setBlocker } from './blocker.ts';
import { tellActor } from './tell-actor.ts';

/** `failed`: it will be tried again, later. `busy`: somebody else is at it. */
export type Delivered = 'delivered' | 'nothing' | 'failed' | 'busy';

export interface Delivery {
  /** Tells the actor all that it is still to be told, in order, up to the first failure. */
  deliver(actorId: string): Promise<Delivered>;
  /** Delivers to actors that are due, at most `limit`; answers how many it tried. */
  deliverDue(limit: number): Promise<number>;
  /** Whether Temporal was there at the last attempt. */
  readonly away: boolean;
}

interface Parts {
  database: Database;
  temporal: Temporal;
  log: Logger;
}

/** Each delivery holds a database connection while it talks to Temporal, so not all of the pool may be at it. */
const concurrency = 8;

export function createDelivery({ database, temporal, log }: Parts): Delivery {
  const gate = openGate(concurrency);
  const outage = watchOutage(temporal, log);

  async function deliverNext(actorId: string): Promise<Delivered> {
    return database.kysely.transaction().execute(async (transaction) => {
      const entry = await claimNext(transaction, actorId);
      if (entry === undefined) return 'nothing';
      if (entry === 'busy') return 'busy';
      if (entry === 'later') return 'failed';
      const line = {
        actor: actorId,
        entry: entry.id,
        told: entry.message ?? 'start',
        requestId: entry.author.requestId,
      };
      const trace = propagation.extract(ROOT_CONTEXT, entry.trace ?? {});
      try {
        const how = await context.with(trace, () => tellActor(temporal, transaction, entry));
        await delivered(transaction, entry);
        if (entry.attempts >= poisonedAfter) await setBlocker(transaction, actorId, null);
        log.info({ ...line, how }, 'An actor was told');
        return 'delivered';
      } catch (error) {
        // Temporal being away is no fault of the entry: nothing is counted against it.
        if (await outage.explains(error)) return 'failed';
        const why = error instanceof Error ? error.message : String(error);
        const { attempts } = await failed(transaction, entry, why);
        if (attempts >= poisonedAfter) await setBlocker(transaction, actorId, `It cannot be told anything: ${why}`);
        log[attempts >= poisonedAfter ? 'error' : 'warn']({ ...line, attempts, err: error }, 'An actor was not told');
        return 'failed';
      }
    });
  }

  async function deliver(actorId: string): Promise<Delivered> {
    for (let result: Delivered = 'nothing'; ; ) {
      const next = await gate(async () => ((await outage.lasts()) ? 'failed' : deliverNext(actorId)));
      if (next !== 'delivered') return next === 'nothing' ? result : next;
      result = next;
    }
  }

  return {
    deliver,
    async deliverDue(limit) {
      if (await outage.lasts()) return 0;
      const actors = await dueActors(database.kysely, limit);
      await Promise.all(actors.map(deliver));
      return actors.length;
    },
    get away() {
      return outage.away;
    },
  };
}
