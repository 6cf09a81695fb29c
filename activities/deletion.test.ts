import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { type Author, effect } from '../db/engine/effect.ts';
import { createKeysFile, openKeyring } from '../db/keys/keys.ts';
import { type DeletedOrganization, deletedOrganization, deletionRow } from '../test/actors/actors.ts';
import { freshDatabase } from '../test/ground/fresh-database.ts';
import { createActivities } from './deletion.ts';

const fresh = await freshDatabase();
const directory = await mkdtemp(join(tmpdir(), 'ballast-deletion-'));
await createKeysFile(join(directory, 'keys.json'));
const { database } = fresh;
const activities = createActivities({ database, keyring: await openKeyring(database, join(directory, 'keys.json')) });

afterAll(async () => {
  await fresh.drop();
  await rm(directory, { recursive: true });
});

function environment({ actor }: DeletedOrganization, heartbeatDetails?: object): MockActivityEnvironment {
  return new MockActivityEnvironment({ workflowExecution: { workflowId: actor, runId: uuid() }, heartbeatDetails });
}

async function hints({ organizationId, deletionId }: DeletedOrganization): Promise<number> {
  const entries = fresh.database.kysely.selectFrom('change_feed').where('organization_id', '=', organizationId);
  return (await entries.select('position').where('subject_id', '=', deletionId).execute()).length;
}

test('a claim that is made again, because its answer was lost, is the same claim', async () => {
  const deletion = await deletedOrganization(fresh.database, 0);
  const claim = () => environment(deletion).run(activities.claimPurge, { ...deletion, revision: 1 });
  const answers = await Promise.all([claim(), claim(), claim()]);
  expect(answers).toEqual(Array(3).fill({ answer: 'claimed' }));
  expect(await deletionRow(fresh.database, deletion.deletionId)).toMatchObject({ state: 'purging', revision: 1 });
  expect(await hints(deletion)).toBe(1);
});

test('the last word, said again, is audited once, in the name of the actor', async () => {
  const deletion = await deletedOrganization(fresh.database, 0);
  const ending = { ...deletion, revision: 2, state: 'purged' } as const;
  const finish = () => environment(deletion).run(activities.finishDeletion, ending);
  expect(await Promise.all([finish(), finish(), finish()])).toEqual(Array(3).fill({ state: 'purged' }));
  const records = fresh.database.kysely.selectFrom('audit_record').where('action', '=', 'organization.purged');
  expect(await records.select(['actor_kind', 'actor_id', 'subject_name']).execute()).toEqual([
    { actor_kind: 'actor', actor_id: deletion.actor, subject_name: 'Acme' },
  ]);
});

test('a row that is final already keeps its state, and the answer says which', async () => {
  const deletion = await deletedOrganization(fresh.database, 0);
  const end = (state: 'failed' | 'purged', revision: number) =>
    environment(deletion).run(activities.finishDeletion, { ...deletion, revision, state, message: 'It failed.' });
  expect(await end('failed', 1)).toEqual({ state: 'failed' });
  expect(await end('purged', 2)).toEqual({ state: 'failed', over: true });
  expect(await deletionRow(fresh.database, deletion.deletionId)).toMatchObject({
    state: 'failed',
    message: 'It failed.',
  });
});

test('a purge can be stopped between two batches, and goes on from there', async () => {
  const deletion = await deletedOrganization(fresh.database, 0);
  const author: Author = { kind: 'machine', id: 'test', name: 'test' };
  await effect(fresh.database, author, async ({ audit }) => {
    const { organizationId } = deletion;
    for (let number = 0; number < 2_500; number += 1) {
      audit('team.created', { organizationId, id: `${number}` });
    }
  });
  await environment(deletion).run(activities.claimPurge, { ...deletion, revision: 1 });
  const stopped = environment(deletion);
  const told: { deletedRows: number }[] = [];
  stopped.on('heartbeat', (details) => {
    told.push(details);
    if (details.deletedRows >= 2_000) stopped.cancel('CANCELLED');
  });
  await expect(stopped.run(activities.purgeOrganization, deletion)).rejects.toThrow('CANCELLED');
  const again = environment(deletion, told.at(-1));
  const done = await again.run(activities.purgeOrganization, deletion);
  expect(done).toSatisfy(({ deletedRows }: { deletedRows: number }) => deletedRows > 2_500);
  const rest = fresh.database.kysely.selectFrom('audit_record').where('subject_kind', '=', 'team');
  expect(await rest.select('id').execute()).toEqual([]);
});

test('nothing is purged that was not claimed, and nothing twice', async () => {
  const deletion = await deletedOrganization(fresh.database, 0);
  const purge = () => environment(deletion).run(activities.purgeOrganization, deletion);
  expect(await purge()).toEqual({ deletedRows: 0 });
  const exists = () =>
    fresh.database.kysely.selectFrom('organization').select('id').where('id', '=', deletion.organizationId).execute();
  expect(await exists()).toHaveLength(1);
  await environment(deletion).run(activities.claimPurge, { ...deletion, revision: 1 });
  const failed = {
    ...deletion,
    revision: 2,
    state: 'failed',
    message: 'No.',
  } as const;
  await environment(deletion).run(activities.finishDeletion, failed);
  expect(await purge()).toEqual({ deletedRows: 0 });
  expect(await exists()).toHaveLength(1);
});
