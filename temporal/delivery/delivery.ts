import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { claimEntries, delivered, dueActors, dueOf, failed, poisonedAfter } from '../../db/engine/outbox.ts';
import { connectionFailure } from '../../db/postgres/connection-failure.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import type { Temporal } from '../connection/connect.ts';
import { watchOutage } from '../connection/outage.ts';
import { setBlocker } from './blocker.ts';
import { gather } from './gather.ts';
import { type InOrder, lineOf, tellInOrder } from './tell-in-order.ts';

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

/** One tour to one of its actors. */
interface Visit {
  result: Delivered;
  told: number;
  /** Something was committed for it meanwhile, whose deliverer found it busy. */
  more: boolean;
}

const failure: Visit = { result: 'failed', told: 0, more: false };
const busy: Visit = { result: 'busy', told: 0, more: false };
const nothing: Visit = { result: 'nothing', told: 0, more: false };

/** Each tour holds a database connection while it talks to Temporal, so not all of the pool may be at it. */
const tours = 4;
/** Actors of one tour. It lasts as long as its slowest call, for which all of them wait with what comes next. */
const longestTour = 25;
/** Entries that an actor gets in one turn: one with a hundred thousand must not keep the others from theirs. */
const turn = 100;

/** Actors that are told something at about the same time share a tour: its transaction costs as much as for one. */
export function createDelivery({ database, temporal, log }: Parts): Delivery {
  const outage = watchOutage(temporal, log);
  const visit = gather<string, Visit>({ width: tours, most: longestTour, task: tour });

  async function tour(actors: readonly string[]): Promise<Map<string, Visit>> {
    if (await outage.lasts()) return new Map(actors.map((actor) => [actor, failure]));
    const visits = await visitAll(actors);
    const told = [...visits].flatMap(([actor, one]) => (one.told > 0 && one.result === 'delivered' ? [actor] : []));
    for (const actor of await dueOf(database.kysely, told)) {
      visits.set(actor, { ...(visits.get(actor) ?? failure), more: true });
    }
    return visits;
  }

  /** An entry whose statements fail would fail the others of its tour: then each actor is visited alone. */
  async function visitAll(actors: readonly string[]): Promise<Map<string, Visit>> {
    try {
      return await visitTogether(actors);
    } catch (error) {
      if (actors.length === 1 || connectionFailure(error)) throw error;
      const visits = new Map<string, Visit>();
      for (const actor of actors) {
        const alone = await visitTogether([actor]).catch((err: unknown) => {
          log.error({ actor, err }, 'Delivery to an actor failed; retrying later');
          return new Map([[actor, failure]]);
        });
        visits.set(actor, alone.get(actor) ?? failure);
      }
      return visits;
    }
  }

  async function visitTogether(actors: readonly string[]): Promise<Map<string, Visit>> {
    return await database.kysely.transaction().execute(async (transaction) => {
      const claims = await claimEntries(transaction, actors, turn);
      const visits = new Map<string, Visit>();
      const calls = [...claims].map(async ([actor, claim]): Promise<InOrder | undefined> => {
        if (typeof claim === 'string') visits.set(actor, claim === 'busy' ? busy : failure);
        else if (claim.length === 0) visits.set(actor, nothing);
        else return await tellInOrder(temporal, transaction, claim, { actor, log });
        return undefined;
      });
      const outcomes = (await Promise.all(calls)).flatMap((outcome) => outcome ?? []);
      const fault = outcomes.find((outcome) => outcome.failed !== undefined)?.failed;
      // Temporal being away is no fault of an entry: nothing is counted against it.
      const away = fault !== undefined && (await outage.explains(fault.error));
      // Not before the last call: what is written gives the transaction an id, and the feed waits for those.
      await delivered(
        transaction,
        outcomes.flatMap(({ told }) => told.map(({ id }) => id)),
      );
      for (const outcome of outcomes) visits.set(outcome.actor, await concluded(transaction, outcome, away));
      return visits;
    });
  }

  async function concluded(transaction: Kysely<Tables>, outcome: InOrder, away: boolean): Promise<Visit> {
    const { actor, told, failed: fault } = outcome;
    if (told.some(({ attempts }) => attempts >= poisonedAfter)) await setBlocker(transaction, actor, null);
    if (fault === undefined) return { result: 'delivered', told: told.length, more: false };
    const visited = { ...failure, told: told.length };
    if (away) return visited;
    const { entry, error } = fault;
    const why = error instanceof Error ? error.message : String(error);
    const { attempts } = await failed(transaction, entry, why);
    if (attempts >= poisonedAfter) await setBlocker(transaction, actor, `Messages cannot be delivered: ${why}`);
    log[attempts >= poisonedAfter ? 'error' : 'warn'](
      { ...lineOf(entry), attempts, err: error },
      'Delivery to an actor failed; retrying later',
    );
    return visited;
  }

  async function deliver(actorId: string): Promise<Delivered> {
    for (let told = 0; ; ) {
      const one = await visit(actorId);
      told += one.told;
      if (one.more && told < turn) continue;
      return one.result === 'nothing' && told > 0 ? 'delivered' : one.result;
    }
  }

  return {
    deliver,
    async deliverDue(limit) {
      if (await outage.lasts()) return { told: 0, more: false, nextMilliseconds: undefined };
      const { actors, nextMilliseconds } = await dueActors(database.kysely, limit);
      const visits = await Promise.all(actors.map(visit));
      const told = visits.filter((one) => one.told > 0).length;
      // Entries that failed are not due any more. Where somebody else is at all of them, only waiting helps.
      const moved = visits.some(({ result, told: entries }) => entries > 0 || result === 'failed');
      const more = visits.some((one) => one.more) || (actors.length === limit && moved);
      return { told, more: more && !outage.away, nextMilliseconds };
    },
    get away() {
      return outage.away;
    },
  };
}
