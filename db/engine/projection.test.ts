import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { deleteOrganization } from '../deletions/deletions.ts';
import type { Alarm } from '../postgres/database.ts';
import { effect } from './effect.ts';
import { type Projection, project } from './projection.ts';

let id: string;
let alarms: Alarm[];
const fresh = await freshDatabase();
afterAll(() => fresh.drop());
beforeEach(async () => {
  alarms = [];
  const organizationId = await seedOrganization(fresh.database);
  const deletion = await effect(fresh.database, machine, (effect) => deleteOrganization(effect, organizationId));
  id = deletion?.deletionId ?? '';
});

function write(projection: Projection<'deletion'>) {
  return project(fresh.database.kysely, 'deletion', id, projection, (alarm) => alarms.push(alarm));
}

async function row() {
  return await fresh.database.kysely.selectFrom('deletion').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

test('a projection with a higher revision is written, with the other columns', async () => {
  expect(await write({ state: 'purging', revision: 1, set: { message: 'half way', blocker: null } })).toEqual({
    result: 'written',
  });
  expect(await row()).toMatchObject({ state: 'purging', revision: 1, message: 'half way', finished_at: null });
});

test('a late projection is refused with the row as it is, and raises an alarm', async () => {
  await write({ state: 'purging', revision: 2 });
  const late = await write({ state: 'retained', revision: 1 });
  expect(late).toMatchObject({ result: 'refused', row: { state: 'purging', revision: 2 } });
  expect(alarms).toHaveLength(1);
  expect(alarms[0]?.message).toContain('purging (revision 2)');
});

test('of two histories of one actor the one that wrote first counts: the other is refused at the same revision', async () => {
  await write({ state: 'purging', revision: 1, set: { message: 'first' } });
  const other = await write({ state: 'failed', revision: 1, finished: true });
  expect(other).toMatchObject({ result: 'refused', row: { state: 'purging', revision: 1 } });
  expect(await row()).toMatchObject({ state: 'purging', message: 'first', finished_at: null });
  expect(alarms).toHaveLength(1);
});

test('a final row is never changed, and that is no alarm', async () => {
  await write({ state: 'restored', revision: 1, finished: true });
  const late = await write({ state: 'purged', revision: 9, finished: true });
  expect(late).toMatchObject({ result: 'refused', row: { state: 'restored' } });
  expect(await row()).toMatchObject({ state: 'restored', revision: 1 });
  expect(alarms).toEqual([]);
});

test('the same projection a second time counts as written, final or not', async () => {
  await write({ state: 'purging', revision: 1 });
  expect(await write({ state: 'purging', revision: 1 })).toEqual({ result: 'written' });
  await write({ state: 'purged', revision: 2, finished: true });
  const { finished_at } = await row();
  expect(await write({ state: 'purged', revision: 2, finished: true })).toEqual({ result: 'written' });
  expect((await row()).finished_at).toEqual(finished_at);
});

test('a row that is gone is refused without a row', async () => {
  await sql`update organization set deletion_id = null where deletion_id = ${id}`.execute(fresh.database.kysely);
  await fresh.database.kysely.deleteFrom('deletion').where('id', '=', id).execute();
  expect(await write({ state: 'purging', revision: 1 })).toEqual({ result: 'refused', row: undefined });
});

test('of many racing writers the highest revision stays, and exactly one final write wins', async () => {
  const order = Array.from({ length: 30 }, (_, revision) => revision).sort(() => Math.random() - 0.5);
  await Promise.all(order.map((revision) => write({ state: 'purging', revision, set: { message: `${revision}` } })));
  expect(await row()).toMatchObject({ revision: 29, message: '29' });
  const final = await Promise.all(
    (['purged', 'failed', 'restored'] as const).map((state, n) => write({ state, revision: 40 + n, finished: true })),
  );
  expect(final.filter(({ result }) => result === 'written')).toHaveLength(1);
});

test('a projection rolls back with its transaction', async () => {
  const failing = effect(fresh.database, machine, async (effect) => {
    await project(effect.kysely, 'deletion', id, { state: 'purging', revision: 1 }, () => undefined);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await row()).toMatchObject({ state: 'retained', revision: 0 });
});
