import { beforeAll, describe, expect, test } from 'vitest';
import { restoreOrganization } from '../../db/deletions/deletions.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { setLasting } from '../../db/organizations/organization-settings.ts';
import { shownKinds } from '../../domain/deletions/kinds.ts';
import { Problem } from '../../domain/problems.ts';
import { type DeletedOrganization, deletedOrganization, deletionRow, tester } from '../../test/actors/actors.ts';
import { skippingGround } from '../../test/actors/grounds/skipping-ground.ts';
import { deleted, seedThing } from '../../test/actors/kept-things.ts';
import type { DeletionView } from './state.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const world = await skippingGround();
const { ground, skips, skipping, start, pass, deliver, restart } = world;

/** PostgreSQL's clock does not skip: with a retention of 0 the time has passed for it, however long the actor waits. */
const passed = 0;

describe.skipIf(!skips)('the whole retention', () => {
  test('after nearly ten years it is purged, and not a day earlier', async () => {
    // The test server ends every workflow after ten years of 365 days; the real one does not.
    const days = 3_645;
    const deletion = await begin(days, passed);
    await pass(handle(deletion), (days - 1) * day);
    expect(await handle(deletion).query<DeletionView>('view')).toMatchObject({ phase: 'retained' });
    expect(await row(deletion)).toMatchObject({ state: 'retained' });
    expect(await handle(deletion).result()).toBe('purged');
    expect(await row(deletion)).toMatchObject({ state: 'purged' });
  });

  test('asked for on the third day, the purge comes on the third day', async () => {
    const deletion = await begin(7, passed);
    await pass(handle(deletion), 3 * day);
    await handle(deletion).signal('purgeNow', { id: '1', body: {} });
    await handle(deletion).signal('purgeNow', { id: '1', body: {} });
    expect(await handle(deletion).result()).toBe('purged');
    const { startTime, closeTime } = await handle(deletion).describe();
    expect(Math.round(((closeTime?.getTime() ?? 0) - startTime.getTime()) / day)).toBe(3);
  });

  test('restored on the sixth day it ends, and nothing is purged', async () => {
    const deletion = await begin(7, 168);
    await pass(handle(deletion), 6 * day);
    await restore(deletion);
    await handle(deletion).signal('restored', { id: '1', body: {} });
    expect(await handle(deletion).result()).toBe('restored');
    expect(await row(deletion)).toMatchObject({ state: 'restored' });
  });

  test('restored a moment before the time has passed, the timer comes too late', async () => {
    const deletion = await begin(7, 168);
    await restore(deletion);
    // The message is still on its way when the timer fires.
    expect(await handle(deletion).result()).toBe('restored');
    expect(await row(deletion)).toMatchObject({ state: 'restored', revision: 1 });
  });

  test('restored a moment after the claim, the owner comes too late', async () => {
    const deletion = await begin(7, passed);
    expect(await handle(deletion).result()).toBe('purged');
    await expect(restore(deletion)).rejects.toThrow(Problem);
    expect(await row(deletion)).toMatchObject({ state: 'purged' });
  });
});

describe.skipIf(!skips).each(shownKinds)('the whole retention: %s', (kind) => {
  // Nothing is kept in memory: the test server would wait by its own clock for the worker that kept it and is gone.
  const uncached = { cachedWorkflows: 0 };
  beforeAll(() => restart(uncached));

  test('while one worker ends and another continues it is kept; after seven days it is purged, and not before', async () => {
    const deletion = await deleted(world, await seedThing(ground.database, kind));
    await deletion.pass(3 * day);
    await restart(uncached);
    expect(await deletion.handle.query<DeletionView>('view')).toMatchObject({ phase: 'retained' });
    await deletion.pass(3 * day);
    expect(await deletion.states()).toEqual(['retained', 'hidden']);
    await deletion.pass(day - 10 * minute);
    expect(await deletion.states()).toEqual(['retained', 'hidden']);
    await deletion.passInRow(10 * minute);
    expect(await deletion.handle.result()).toBe('purged');
    expect(await deletion.states()).toEqual(['purged', 'gone']);
    expect(await deletion.claimedAfter()).toBe(7 * day);
  });

  test('another retention of the organization is that of later deletions only', async () => {
    const thing = await seedThing(ground.database, kind);
    const { organizationId } = thing;
    const week = await deleted(world, thing);
    const { restoreUntil } = (await thing.listed()) ?? {};
    const setDay = (setting: Effect) => setLasting(setting, organizationId, 'deletedRetentionHours', 24);
    await effect(ground.database, tester, setDay);
    const short = await deleted(world, await seedThing(ground.database, kind, organizationId));
    expect(await thing.listed()).toMatchObject({ restoreUntil });
    // The clock goes on to the next timer once nothing is under way, so for the rows all of it has passed at once.
    for (const deletion of [week, short]) await deletion.passInRow(7 * day);
    expect([await short.handle.result(), await week.handle.result()]).toEqual(['purged', 'purged']);
    expect([await short.claimedAfter(), await week.claimedAfter()]).toEqual([day, 7 * day]);
    expect([await short.states(), await week.states()]).toEqual(Array(2).fill(['purged', 'gone']));
  });

  test('restored a moment before the end, with the message on its way when the timer fires, nothing is purged', async () => {
    const thing = await seedThing(ground.database, kind);
    const deletion = await deleted(world, thing);
    await deletion.pass(7 * day - 10 * minute);
    await thing.restore();
    expect(await deletion.handle.result()).toBe('restored');
    expect(await deletion.claimedAfter()).toBe(7 * day);
    expect(await deletion.states()).toEqual(['restored', 'there']);
  });

  test('restored and deleted again, it has a new clock', async () => {
    const thing = await seedThing(ground.database, kind);
    const first = await deleted(world, thing);
    await first.pass(5 * day);
    await thing.restore();
    await deliver(first.handle);
    expect(await first.handle.result()).toBe('restored');
    expect(await first.claimedAfter()).toBeUndefined();
    expect(await first.states()).toEqual(['restored', 'there']);
    const second = await deleted(world, thing);
    await second.pass(6 * day);
    expect(await second.states()).toEqual(['retained', 'hidden']);
    await second.passInRow(day);
    expect(await second.handle.result()).toBe('purged');
    expect(await second.claimedAfter()).toBe(7 * day);
    expect([await first.states(), await second.states()]).toEqual([
      ['restored', 'gone'],
      ['purged', 'gone'],
    ]);
  });

  test('asked for in the middle, the purge does not wait', async () => {
    const thing = await seedThing(ground.database, kind);
    const deletion = await deleted(world, thing);
    await deletion.pass(2 * day);
    await thing.purge();
    await deliver(deletion.handle);
    expect(await deletion.handle.result()).toBe('purged');
    expect(await deletion.claimedAfter()).toBe(2 * day);
    expect(await deletion.states()).toEqual(['purged', 'gone']);
  });
});

async function begin(days: number, retentionHours: number): Promise<DeletedOrganization> {
  const deletion = await deletedOrganization(ground.database, retentionHours);
  const restoreUntil = new Date((await skipping().currentTimeMs()) + days * day).toISOString();
  const { deletionId, organizationId } = deletion;
  const input = { deletionId, organizationId, restoreUntil };
  await start({ kind: 'deletion', rowId: deletionId, organizationId, state: 'retained', input });
  return deletion;
}

function handle({ actor }: DeletedOrganization) {
  return skipping().client.workflow.getHandle(actor);
}

function row({ deletionId }: DeletedOrganization) {
  return deletionRow(ground.database, deletionId);
}

function restore({ deletionId }: DeletedOrganization) {
  return effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletionId));
}
