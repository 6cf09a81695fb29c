import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { endCommand } from '../../db/commands/cluster-commands.ts';
import { findDeletedThing } from '../../db/deletions/things/deleted-things.ts';
import { requestPurgeOfThing } from '../../db/deletions/things/purge-thing.ts';
import { restoreThing } from '../../db/deletions/things/restore-thing.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { deleteService } from '../../db/services/removal/delete-service.ts';
import { findService } from '../../db/services/services.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { deletionRow, tester } from '../../test/actors/actors.ts';
import { servedGround } from '../../test/actors/grounds/served-ground.ts';
import { until } from '../../test/ground/until.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';

const ground = await servedGround();
afterAll(() => ground.close());

/** A service with a volume on a cluster, deleted; its actor waits. */
async function deleted() {
  const { database } = ground;
  const organizationId = await seedOrganization(database);
  const place = await seedPlace(database, organizationId);
  const { serviceId: id, processId } = place;
  const volume = {
    id: crypto.randomUUID(),
    service_id: id,
    process_id: processId,
    name: 'data',
    mount_path: '/data',
    size_bytes: 1,
  };
  await tenant(database.kysely, organizationId).insertInto('volume').values(volume).execute();
  const service = await findService(database.kysely, organizationId, id);
  if (service === undefined) throw new Error('The service is not there.');
  await effect(database, tester, (removing) =>
    deleteService(removing, service, { check: () => undefined, wait: false }),
  );
  const thing = await findDeletedThing(database.kysely, organizationId, 'service', id);
  if (thing === undefined) throw new Error('The service was not deleted.');
  const actor = actorId('deletion', thing.deletionId);
  expect(await ground.delivery.deliver(actor)).toBe('delivered');
  const handle = ground.temporal.client.workflow.getHandle(actor);
  return { ...place, thing, actor, handle };
}

const commands = (actor: string) =>
  ground.database.kysely.selectFrom('cluster_command').select(['id', 'state']).where('actor_id', '=', actor).execute();

test('purged at once, the actor waits until the agent has deleted the data, and asks again when that failed', async () => {
  const { database } = ground;
  const { thing, actor, handle, serviceId, organizationId } = await deleted();
  await effect(database, tester, (asking) => requestPurgeOfThing(asking, thing));
  await ground.delivery.deliver(actor);
  const open = () => until('a command', async () => (await commands(actor)).find(({ state }) => state === 'queued'));
  const blocker = async () => (await deletionRow(database, thing.deletionId)).blocker;
  for (const state of ['failed', 'done'] as const) {
    const { id } = await open();
    if (state === 'failed') {
      expect(await blocker()).toBeNull();
      const older = database.kysely
        .updateTable('deletion')
        .set({ purge_started_at: sql`now() - interval '11 minutes'` });
      await older.where('id', '=', thing.deletionId).execute();
    } else {
      // Waiting for more than ten minutes, it is among what needs attention, and nothing is told as purged.
      await until('its blocker', async () => (await blocker())?.includes('It is mounted.'));
      expect(await deletionRow(database, thing.deletionId)).toMatchObject({ state: 'purging', finished_at: null });
      expect((await sql`select from service where id = ${serviceId}`.execute(database.kysely)).rows).toHaveLength(1);
    }
    const message = state === 'failed' ? 'It is mounted.' : undefined;
    await effect(database, tester, (ending) => endCommand(ending, id, { state, message }));
    await ground.delivery.deliver(actor);
  }
  expect(await handle.result()).toBe('purged');
  expect(await deletionRow(database, thing.deletionId)).toMatchObject({
    state: 'purged',
    message: null,
    blocker: null,
  });
  expect(await findService(database.kysely, organizationId, serviceId)).toBeUndefined();
  const { rows } = await sql`select from service where id = ${serviceId}`.execute(database.kysely);
  expect(rows).toEqual([]);
});

test('restored, the actor ends, and the service is there again', async () => {
  const { thing, actor, handle, serviceId, organizationId } = await deleted();
  await effect(ground.database, tester, (restoring) => restoreThing(restoring, thing));
  await ground.delivery.deliver(actor);
  expect(await handle.result()).toBe('restored');
  expect(await findService(ground.database.kysely, organizationId, serviceId)).toMatchObject({ id: serviceId });
});
