import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { claimNext, delivered, dueActors, failed, poisonedAfter } from '../../db/engine/outbox.ts';
import type { Database } from '../../db/postgres/database.ts';
import { openGate } from '../../domain/gate.ts';
import type { Temporal } from '../connection/connect.ts';
import { watchOutage } from '../connection/outage.ts';
import { setBlocker } from './blocker.ts';
import { tellActor } from './tell-actor.ts';

/** `failed`: retried later. `busy`: another process is delivering to this actor. */
export type Delivered = 'delivered' | 'nothing' | 'failed' | 'busy';

export interface Delivery {
  /** Tells the actor what it is still to be told, in order, up to the first failure or the end of its turn. */
  deliver(actorId: string): Promise<Delivered>;
  /** Delivers to actors that are due, at most `limit`. */
  deliverDue(limit: number): Promise<Round>;
  /** Whether Temporal was there at the last attempt. */
  readonly away: boolean;
}

/** One look at who is due. */
export interface Round {
  /** How many actors were told something. */
  told: number;
  /** Whether more is due already: the round reached its limit, or an actor the end of its turn. */
  more: boolean;
  /** In how many milliseconds the next entry is due; undefined when none waits for its time. */
  nextMilliseconds: number | undefined;
}

interface Parts {
  database: Database;
  temporal: Temporal;
  log: Logger;
}

/** Each delivery holds a database connection while it talks to Temporal, so not all of the pool may be at it. */
const concurrency = 8;
/** Entries that an actor gets in one turn: one with a hundred thousand must not keep the others from theirs. */
const turn = 100;

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
        log.info({ ...line, how }, 'Delivered an entry to its actor');
        return 'delivered';
      } catch (error) {
        // Temporal being away is no fault of the entry: nothing is counted against it.
        if (await outage.explains(error)) return 'failed';
        const why = error instanceof Error ? error.message : String(error);
        const { attempts } = await failed(transaction, entry, why);
        if (attempts >= poisonedAfter) await setBlocker(transaction, actorId, `Messages cannot be delivered: ${why}`);
        log[attempts >= poisonedAfter ? 'error' : 'warn'](
          { ...line, attempts, err: error },
          'Delivery to an actor failed; retrying later',
        );
        return 'failed';
      }
    });
  }

  async function deliver(actorId: string): Promise<Delivered> {
    return (await deliverTurn(actorId)).result;
  }

  async function deliverTurn(actorId: string): Promise<{ result: Delivered; told: number }> {
    for (let told = 0; ; told += 1) {
      if (told === turn) return { result: 'delivered', told };
      const next = await gate(async () => ((await outage.lasts()) ? 'failed' : deliverNext(actorId)));
      if (next === 'delivered') continue;
      return { result: next === 'nothing' && told > 0 ? 'delivered' : next, told };
    }
  }

  return {
    deliver,
    async deliverDue(limit) {
      if (await outage.lasts()) return { told: 0, more: false, nextMilliseconds: undefined };
      const { actors, nextMilliseconds } = await dueActors(database.kysely, limit);
      const turns = await Promise.all(actors.map(deliverTurn));
      const told = turns.filter((one) => one.told > 0).length;
      // Entries that failed are not due any more. Where somebody else is at all of them, only waiting helps.
      const moved = turns.some(({ result, told: entries }) => entries > 0 || result === 'failed');
      const more = turns.some((one) => one.told === turn) || (actors.length === limit && moved);
      return { told, more: more && !outage.away, nextMilliseconds };
    },
    get away() {
      return outage.away;
    },
  };
}
