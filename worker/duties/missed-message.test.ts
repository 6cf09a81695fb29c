import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCluster } from '../../db/clusters/clusters.ts';
import { requestPurge, restoreOrganization } from '../../db/deletions/deletions.ts';
import { effect } from '../../db/engine/effect.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import { actorId } from '../../domain/actors/actors.ts';
import {
  type ActorsGround,
  actorsGround,
  type DeletedOrganization,
  deletionRow,
  tester,
} from '../../test/actors/actors.ts';
import { atRest } from '../../test/actors/at-rest.ts';
import { begunDeletions } from '../../test/actors/begun-deletions.ts';
import { until } from '../../test/ground/until.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { openMetrics } from '../host/metrics.ts';
import { reconcile } from './reconciler.ts';
import type { Reconciling } from './reconciling.ts';
import { runningActors } from './running-actors.ts';

let ground: ActorsGround;
let reconciling: Reconciling;

beforeAll(async () => {
  ground = await actorsGround();
  const { database, temporal, log } = ground;
  reconciling = { database, temporal, log, metrics: openMetrics(undefined), graceSeconds: 0 };
});

afterAll(() => ground.close());

const { begin, handle } = begunDeletions(() => ground);

describe('while actors are served', () => {
  let stopServing: () => Promise<void>;
  beforeAll(async () => {
    stopServing = await ground.serve();
  });
  afterAll(() => stopServing());

  const waits = ({ actor }: DeletedOrganization) =>
    until('it waits, and visibility knows it', async () => {
      const { events } = await ground.temporal.client.workflow.getHandle(actor).fetchHistory();
      return (
        events?.some((event) => event.timerStartedEventAttributes) && (await runningActors(ground.temporal)).has(actor)
      );
    });
  /** As if it had been delivered to a Temporal that an older copy of itself has replaced. */
  const forget = ({ actor }: DeletedOrganization) =>
    ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', actor).execute();

  test('a decision that Temporal lost is carried out: the actor is asked to look at its row', async () => {
    const deletion = await begin();
    await waits(deletion);
    await effect(ground.database, tester, (purging) => requestPurge(purging, deletion.deletionId));
    await forget(deletion);
    await reconcile(reconciling);
    expect(await handle(deletion).result()).toBe('purged');
  });

  test('a decision behind a message that cannot be told is carried out, and nothing is left to be told', async () => {
    const { database, delivery } = ground;
    const deletion = await begin();
    const { actor, organizationId } = deletion;
    await waits(deletion);
    const body = { ballast: 'larger than Temporal takes' };
    await effect(database, tester, async ({ tell }) => tell({ to: actor, message: 'purgeNow', organizationId, body }));
    await effect(database, tester, (purging) => requestPurge(purging, deletion.deletionId));
    const entries = database.kysely.updateTable('outbox').where('actor_id', '=', actor);
    // As if it were so, and had been tried for long.
    const retried = { attempts: 10, next_attempt_at: sql<Date>`now() + interval '1 hour'` };
    await entries.set(retried).where('body', '<>', sql<JsonObject>`'{}'::jsonb`).execute();
    await reconcile(reconciling);
    expect(await handle(deletion).result()).toBe('purged');
    await entries.set({ next_attempt_at: new Date(0) }).execute();
    await delivery.deliver(actor);
    expect(
      await database.kysely.selectFrom('outbox').select('message').where('actor_id', '=', actor).execute(),
    ).toEqual([]);
  });

  test.each([
    ['a trouble that its agent told', 'ready', 'The disk is full.', 'degraded'],
    ['the end of an update', 'updating', null, 'ready'],
  ] as const)('a cluster that missed %s shows it after all', async (_, state, told, shown) => {
    const { database } = ground;
    const organizationId = await seedOrganization(database);
    const { id } = await effect(database, tester, (making) =>
      createCluster(making, { organizationId, name: 'Berlin' }),
    );
    const actor = actorId('cluster', id);
    await ground.delivery.deliver(actor);
    await atRest(ground, actor);
    await until('visibility knows it', async () => (await runningActors(ground.temporal)).has(actor));
    const agent = database.kysely.updateTable('cluster_agent').set({ contact: 'connected', told_trouble: told });
    await agent.where('cluster_id', '=', id).execute();
    const row = database.kysely.selectFrom('cluster').select(['state', 'message']).where('id', '=', id);
    await database.kysely.updateTable('cluster').set({ state, revision: 4 }).where('id', '=', id).execute();
    await reconcile(reconciling);
    await until(`it is ${shown}`, async () => (await row.executeTakeFirstOrThrow()).state === shown);
    expect((await row.executeTakeFirstOrThrow()).message).toBe(told);
  });

  test('an actor that runs although its row is final ends, and changes nothing', async () => {
    const deletion = await begin();
    await waits(deletion);
    await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletion.deletionId));
    await forget(deletion);
    const before = await deletionRow(ground.database, deletion.deletionId);
    await reconcile(reconciling);
    expect(await handle(deletion).result()).toBe('restored');
    expect(await deletionRow(ground.database, deletion.deletionId)).toEqual(before);
  });
});
