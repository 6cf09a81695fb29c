import { expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';

const { api, ours } = await ownApi({});
const as = ours.tokens.admin;
const {
  project: makeProject,
  service,
  call,
} = madeProjects(
  () => ({ api, as }),
  () => ours,
);

/** A volume that two environments have, one of them of production, and a store. */
async function volume() {
  const { id, staging, production } = await makeProject();
  const made = await service(id, { name: 'api' });
  const [web] = made.processes;
  const data = { name: 'data', mountPath: '/data', sizeBytes: 1_000 };
  const created = ok(await call('POST', `/processes/${web?.id}/volumes`, data), 201);
  const name = `Cluster ${crypto.randomUUID()}`;
  const { cluster } = ok(await call('POST', '/clusters', { name }), 201) as { cluster: { id: string } };
  await api.sql`update environment set cluster_id = ${cluster.id} where id = any(${[staging, production]})`;
  const credential = { accessKeyId: 'the-access-key', secretAccessKey: 'the-secret-access-key' };
  const bucket = { endpoint: 'https://s3.example.com', bucket: 'kept', ...credential };
  const { id: objectStoreId } = ok(await call('POST', '/object-stores', { name, ...bucket }), 201);
  const backup = async (environmentId: string, state = 'succeeded') => {
    const of = { environmentId, objectStoreId };
    const { id: backupId } = ok(await call('POST', `/volumes/${created.id}/backups`, of), 201);
    await api.sql`update volume_backup set state = ${state}, finished_at = now(), size_bytes = 7 where id = ${String(backupId)}`;
    return String(backupId);
  };
  const restore = (body: object) => call('POST', `/volumes/${created.id}/restore`, body);
  return { id: String(created.id), project: id, staging, production, backup, restore };
}

test('a volume is restored from its newest backup, or from the one that is named, one restore at a time', async () => {
  const { id, project, staging, backup, restore } = await volume();
  expectProblem(await restore({ environmentId: staging }), 409, 'has no backup here yet');
  const first = await backup(staging);
  const newest = await backup(staging);
  const failed = await backup(staging, 'failed');
  for (const path of [`/environments/${staging}`, `/projects/${project}`]) {
    const { backups } = ok(await call('GET', `${path}/deletion-impact`));
    expect(backups, path).toEqual({ count: 2, sizeBytes: 14 });
  }
  expectProblem(await restore({ environmentId: staging, backupId: failed }), 409, 'has succeeded can be restored');
  const made = ok(await restore({ environmentId: staging }), 201);
  expect(made).toMatchObject({
    ...{ sourceBackupId: newest, status: 'queued', volumeId: id, volumeName: 'data', targetServiceName: 'api' },
    ...{ sizeBytes: 7, progress: { fetchedBytes: 0, unpackedBytes: 0, totalBytes: 0 } },
  });
  expect(made.objectKey).toContain(newest);
  expectProblem(await restore({ environmentId: staging, backupId: first }), 409, 'is being restored already');
  expectProblem(await call('DELETE', `/volume-backups/${newest}`), 409, `The restore ${made.id} needs it`);
  const listed = ok(await call('GET', `/volumes/${id}/restores?environmentId=${staging}`));
  expect(listed.items).toEqual([made].map(({ $schema: _, ...one }) => one));
  expect(ok(await call('POST', `/volume-restores/${made.id}/cancel`))).toMatchObject({ status: 'cancelled' });
  expectProblem(await call('POST', `/volume-restores/${made.id}/cancel`), 409, 'has been cancelled already');
  const again = ok(await restore({ environmentId: staging, backupId: first }), 201);
  expect(again).toMatchObject({ sourceBackupId: first });
  const { items } = ok(await call('GET', `/audit-log?subjectKind=volume_restore&subjectId=${made.id}`));
  expect((items as { action: string }[]).map(({ action }) => action)).toEqual([
    ...['volume_restore.cancelled', 'volume_restore.requested'],
  ]);
});

test('data of production stay there, and those of another volume are refused', async () => {
  const { staging, production, backup, restore } = await volume();
  const backupId = await backup(staging);
  await api.sql`update volume_backup set environment_id = ${production} where id = ${backupId}`;
  expectProblem(await restore({ environmentId: staging, backupId }), 409, 'are not restored into another environment');
  const other = await volume();
  const elsewhere = await other.backup(other.staging);
  expectProblem(await restore({ environmentId: staging, backupId: elsewhere }), 422, 'is no backup of this volume');
});
