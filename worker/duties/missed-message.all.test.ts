import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { requestPurge } from '../../db/deletions/deletions.ts';
import { claimPurge } from '../../db/deletions/purge.ts';
import { effect } from '../../db/engine/effect.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import { actorsGround, type DeletedOrganization, tester } from '../../test/actors/actors.ts';
import { begunDeletions } from '../../test/actors/begun-deletions.ts';
import { until } from '../../test/ground/until.ts';
import { openMetrics } from '../host/metrics.ts';
import { reconcile } from './reconciler.ts';
import { runningActors } from './running-actors.ts';

const ground = await actorsGround();
const { database, temporal, log } = ground;
const reconciling = { database, temporal, log, metrics: openMetrics(undefined), graceSeconds: 0 };
const stopServing = await ground.serve();

afterAll(async () => {
  await stopServing();
  await ground.close();
});

const { begin, handle } = begunDeletions(() => ground);
const waits = (deletion: DeletedOrganization) =>
  until('it waits, and visibility knows it', async () => {
    const { events } = await handle(deletion).fetchHistory();
    const timer = events?.some((event) => event.timerStartedEventAttributes);
    return timer && (await runningActors(ground.temporal)).has(deletion.actor);
  });

test('a decision behind a message that is larger than Temporal takes is carried out, and nothing is left to be told', async () => {
  const { database, delivery } = ground;
  const deletion = await begin();
  const { actor, organizationId } = deletion;
  await waits(deletion);
  const body = { ballast: 'x'.repeat(6_000_000) };
  await effect(database, tester, async ({ tell }) => tell({ to: actor, message: 'purgeNow', organizationId, body }));
  await effect(database, tester, (purging) => requestPurge(purging, deletion.deletionId));
  const entries = database.kysely.updateTable('outbox').where('actor_id', '=', actor);
  await entries.set({ attempts: 10 }).where('body', '<>', sql<JsonObject>`'{}'::jsonb`).execute();
  await reconcile(reconciling);
  expect(await handle(deletion).result()).toBe('purged');
  await entries.set({ next_attempt_at: new Date(0) }).execute();
  await delivery.deliver(actor);
  expect(await database.kysely.selectFrom('outbox').select('message').where('actor_id', '=', actor).execute()).toEqual(
    [],
  );
});

test('a purge that Temporal lost after it was claimed is carried out', async () => {
  const deletion = await begin();
  await waits(deletion);
  await effect(ground.database, tester, (purging) => requestPurge(purging, deletion.deletionId));
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', deletion.actor).execute();
  await effect(ground.database, tester, (claiming) => claimPurge(claiming, deletion.deletionId, 1));
  await reconcile(reconciling);
  expect(await handle(deletion).result()).toBe('purged');
});
