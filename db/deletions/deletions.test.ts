import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import { type Effect, effect } from '../engine/effect.ts';
import { project } from '../engine/projection.ts';
import { createOrganization, ensureDefaultOrganization, findOrganization } from '../organizations/organizations.ts';
import { deleteOrganization, requestPurge, restoreOrganization } from './deletions.ts';
import { findDeletion, listDeletions } from './deletions-of-owner.ts';
import { claimPurge } from './purge.ts';

let organizationId: string;
let owner: string;
const fresh = await freshDatabase();
afterAll(() => fresh.drop());
beforeEach(async () => {
  organizationId = await seedOrganization(fresh.database);
  owner = await seedMember(fresh.database, organizationId, 'owner');
});

function run<T>(work: (effect: Effect) => Promise<T>): Promise<T> {
  return effect(fresh.database, machine, work);
}
async function remove(): Promise<string> {
  const deletion = await run((effect) => deleteOrganization(effect, organizationId));
  return deletion?.deletionId ?? '';
}
async function told(): Promise<unknown[]> {
  const { rows } = await sql`
    select actor_id as actor, coalesce(message, 'start') as message from outbox
    where organization_id = ${organizationId} order by id
  `.execute(fresh.database.kysely);
  return rows;
}
async function fail(id: string): Promise<void> {
  const projection = { state: 'failed', revision: 9, finished: true, set: { message: 'no' } } as const;
  await project(fresh.database.kysely, 'deletion', id, projection, () => undefined);
}

test('a deleted organization is invisible, its slug free, its owner sees it among the deleted, its actor is told', async () => {
  const before = await findOrganization(fresh.database.kysely, organizationId);
  const id = await remove();
  expect(await findOrganization(fresh.database.kysely, organizationId)).toBeUndefined();
  await run((effect) => createOrganization(effect, { name: 'Other', slug: before?.slug ?? '' }));
  expect(await findDeletion(fresh.database.kysely, owner, id)).toMatchObject({
    organizationId,
    state: 'retained',
    restorable: true,
    purgeable: true,
  });
  expect(await told()).toEqual([{ actor: `deletion/${id}`, message: 'start' }]);
  expect(await run((effect) => deleteOrganization(effect, organizationId))).toBeUndefined();
  const admin = await seedMember(fresh.database, organizationId, 'admin');
  expect(await listDeletions(fresh.database.kysely, admin, { limit: 10 })).toEqual([]);
});

test('deleted, restored and deleted again works, each with a row of its own', async () => {
  const first = await remove();
  await run((effect) => restoreOrganization(effect, first));
  expect(await findOrganization(fresh.database.kysely, organizationId)).toBeDefined();
  await expect(run((effect) => restoreOrganization(effect, first))).rejects.toMatchObject({ code: 'already-decided' });
  await expect(run((effect) => requestPurge(effect, first))).rejects.toMatchObject({ code: 'already-decided' });
  const second = await remove();
  expect(second).not.toBe(first);
  expect(await listDeletions(fresh.database.kysely, owner, { limit: 10 })).toMatchObject([{ id: second }]);
  expect(await told()).toEqual([
    { actor: `deletion/${first}`, message: 'start' },
    { actor: `deletion/${first}`, message: 'restored' },
    { actor: `deletion/${second}`, message: 'start' },
  ]);
});

test('a slug that was taken meanwhile needs another one', async () => {
  const slug = (await findOrganization(fresh.database.kysely, organizationId))?.slug ?? '';
  const id = await remove();
  await run((effect) => createOrganization(effect, { name: 'Other', slug }));
  await expect(run((effect) => restoreOrganization(effect, id))).rejects.toMatchObject({ code: 'slug-taken' });
  expect(await findDeletion(fresh.database.kysely, owner, id)).toMatchObject({ state: 'retained' });
  expect(await run((effect) => restoreOrganization(effect, id, `${slug}-2`))).toMatchObject({ slug: `${slug}-2` });
});

test('the purge is claimed only when the time has passed or the owner asked, and once claimed nothing is restored', async () => {
  const id = await remove();
  const claim = () => run((effect) => claimPurge(effect, id, 1));
  expect(await claim()).toMatchObject({ answer: 'early' });
  await run((effect) => requestPurge(effect, id));
  // The actor may have missed the message: a repeated request sends it again.
  const told = () =>
    fresh.database.kysely.selectFrom('outbox').select('id').where('message', '=', 'purgeNow').execute();
  const before = (await told()).length;
  expect(await run((effect) => requestPurge(effect, id))).toEqual({ deletionId: id });
  expect((await told()).length).toBe(before + 1);
  await expect(run((effect) => restoreOrganization(effect, id))).rejects.toMatchObject({ code: 'already-decided' });
  expect(await claim()).toEqual({ answer: 'claimed' });
  expect(await claim()).toEqual({ answer: 'claimed' });
  expect(await findDeletion(fresh.database.kysely, owner, id)).toMatchObject({ state: 'purging', restorable: false });
  await expect(run((effect) => restoreOrganization(effect, id))).rejects.toMatchObject({ code: 'already-decided' });
});

test('restoration and claim race for the row: one wins, the other obeys', async () => {
  for (let round = 0; round < 10; round += 1) {
    organizationId = await seedOrganization(fresh.database);
    const id = await remove();
    // A moment before its time is over, as both sides see it: neither waits for the other.
    await sql`update deletion set restore_until = now() + interval '4 milliseconds' where id = ${id}`.execute(
      fresh.database.kysely,
    );
    const [restored, claimed] = await Promise.allSettled([
      run((effect) => restoreOrganization(effect, id)),
      run((effect) => claimPurge(effect, id, 1)),
    ]);
    const won = restored.status === 'fulfilled';
    const purging = claimed.status === 'fulfilled' && claimed.value.answer === 'claimed';
    expect(won && purging).toBe(false);
    expect((await findOrganization(fresh.database.kysely, organizationId)) !== undefined).toBe(won);
  }
});

test('a deletion that failed before its purge began can be restored, and its ended actor is told nothing', async () => {
  const id = await remove();
  await fail(id);
  expect(await findDeletion(fresh.database.kysely, owner, id)).toMatchObject({ state: 'failed', restorable: true });
  await run((effect) => restoreOrganization(effect, id));
  expect(await findOrganization(fresh.database.kysely, organizationId)).toBeDefined();
  expect(await told()).toEqual([{ actor: `deletion/${id}`, message: 'start' }]);
});

test('one that failed half way can only be purged, by a new deletion', async () => {
  const id = await remove();
  await run((effect) => requestPurge(effect, id));
  await run((effect) => claimPurge(effect, id, 1));
  await fail(id);
  expect(await findDeletion(fresh.database.kysely, owner, id)).toMatchObject({ restorable: false, purgeable: true });
  await expect(run((effect) => restoreOrganization(effect, id))).rejects.toMatchObject({ code: 'already-decided' });
  const { deletionId } = await run((effect) => requestPurge(effect, id));
  expect(deletionId).not.toBe(id);
  expect(await findDeletion(fresh.database.kysely, owner, deletionId)).toMatchObject({
    state: 'retained',
    restorable: false,
    purgeable: false,
  });
  await expect(run((effect) => restoreOrganization(effect, deletionId))).rejects.toMatchObject({
    code: 'already-decided',
  });
  expect(await run((effect) => claimPurge(effect, deletionId, 1))).toEqual({ answer: 'claimed' });
  // The failed one is superseded: it decides nothing any more.
  await expect(run((effect) => requestPurge(effect, id))).rejects.toMatchObject({ code: 'already-decided' });
});

test('after its time nothing is restored, even while the actor has not claimed yet', async () => {
  const id = await remove();
  await sql`update deletion set restore_until = now() - interval '1 second' where id = ${id}`.execute(
    fresh.database.kysely,
  );
  await expect(run((effect) => restoreOrganization(effect, id))).rejects.toMatchObject({ code: 'already-decided' });
});

test('an unknown deletion is not found', async () => {
  await expect(run((effect) => requestPurge(effect, organizationId))).rejects.toMatchObject({ code: 'not-found' });
});

test('the default organization is made once, by whoever comes first, and not again after its deletion', async () => {
  const other = await freshDatabase();
  const ensure = () => effect(other.database, machine, ensureDefaultOrganization);
  const results = await Promise.all([ensure(), ensure(), ensure()]);
  expect(results.filter(({ created }) => created)).toHaveLength(1);
  const id = results[0]?.organization?.id ?? '';
  expect(results.every(({ organization }) => organization?.id === id)).toBe(true);
  await effect(other.database, machine, (effect) => deleteOrganization(effect, id));
  expect(await ensure()).toEqual({ organization: undefined, created: false });
  await other.drop();
});
