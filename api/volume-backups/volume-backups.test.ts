import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { createCommand } from '../../db/commands/cluster-commands.ts';
import { effect } from '../../db/engine/effect.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../test/registry/bucket.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';
import { machine } from '../../test/seeds/seed.ts';

const { api, ours } = await ownApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
const as = ours.tokens.admin;
const { project, service, call } = madeProjects(
  () => ({ api, as }),
  () => ours,
);

/** A volume of a service in an environment. */
async function volume() {
  const { id, staging: environmentId } = await project();
  const made = await service(id, { name: 'api' });
  const [web] = made.processes;
  const data = { name: 'data', mountPath: '/data', sizeBytes: 1_000 };
  const created = ok(await call('POST', `/processes/${web?.id}/volumes`, data), 201);
  const cluster = ok(await call('POST', '/clusters', { name: `Cluster ${crypto.randomUUID()}` }), 201).cluster as {
    id: string;
  };
  await api.sql`update environment set cluster_id = ${cluster.id} where id = ${environmentId}`;
  return { id: String(created.id), environmentId };
}

async function store(more: object = {}): Promise<string> {
  const credential = { accessKeyId: 'the-access-key', secretAccessKey: 'the-secret-access-key' };
  const body = {
    name: crypto.randomUUID(),
    endpoint: 'https://s3.example.com',
    bucket: 'pushed',
    ...credential,
    ...more,
  };
  return String(ok(await call('POST', '/object-stores', body), 201).id);
}

test('a backup is of a volume that an environment has on a cluster, and goes into a store of the organization', async () => {
  const { id, environmentId } = await volume();
  const objectStoreId = await store();
  const request = (body: object) => call('POST', `/volumes/${id}/backups`, body);
  const bare = await volume();
  await api.sql`update environment set cluster_id = null where id = ${bare.environmentId}`;
  const nowhere = await call('POST', `/volumes/${bare.id}/backups`, {
    environmentId: bare.environmentId,
    objectStoreId,
  });
  expectProblem(nowhere, 409, 'has no cluster');
  const elsewhere = crypto.randomUUID();
  expectProblem(await request({ environmentId, objectStoreId: elsewhere }), 422, 'is no object store');
  const backup = ok(await request({ environmentId, objectStoreId }), 201);
  expect(backup).toMatchObject({ status: 'queued', volumeName: 'data', method: 'archive', quiesce: false, sha256: '' });
  expect(backup.objectKey).toBe(`${ours.organizationId}/${id}/${backup.id}.tar.zst`);
  const listed = ok(await call('GET', `/volumes/${id}/backups?environmentId=${environmentId}`));
  expect(listed.items).toEqual([backup].map(({ $schema: _, ...one }) => one));
  expectProblem(await call('DELETE', `/volume-backups/${backup.id}`), 409, 'is not over');
  expectProblem(await call('POST', `/volume-backups/${backup.id}/download`), 409, 'has succeeded');
  expectProblem(await call('DELETE', `/object-stores/${objectStoreId}`), 409, 'keeps 1 backup of data (api, ');
  expect(ok(await call('POST', `/volume-backups/${backup.id}/cancel`))).toMatchObject({ status: 'cancelled' });
  expectProblem(await call('POST', `/volume-backups/${backup.id}/cancel`), 409, 'has been cancelled already');
  expect((await call('DELETE', `/object-stores/${objectStoreId}`)).status).toBe(204);
  expect(ok(await call('GET', `/volume-backups/${backup.id}`))).toMatchObject({ objectStoreId });
});

describe.skipIf(!bucketsAreThere)('a real store', () => {
  let bucket: Bucket;
  beforeAll(async () => {
    bucket = await startBucket('');
  });
  afterAll(() => bucket.stop());

  test('a backup is downloaded without a credential for a while, and its object goes with it', async () => {
    const { id, environmentId } = await volume();
    const objectStoreId = await store({ endpoint: bucket.target.endpoint, prefix: 'kept' });
    const backup = ok(await call('POST', `/volumes/${id}/backups`, { environmentId, objectStoreId }), 201);
    const key = `kept/${backup.objectKey}`;
    await bucket.client.put(key, { pieces: [Buffer.from('archive')] });
    await bucket.client.put(`${key}.json`, { pieces: [Buffer.from('{}')] });
    await api.sql`update volume_backup set state = 'succeeded', finished_at = now(), size_bytes = 7 where id = ${String(backup.id)}`;
    const { url, expiresAt } = ok(await call('POST', `/volume-backups/${backup.id}/download`)) as Record<
      string,
      string
    >;
    expect(await (await fetch(url ?? '')).text()).toBe('archive');
    expect((await fetch((url ?? '').replace('X-Amz-Expires=900', 'X-Amz-Expires=9000'))).status).toBe(403);
    expect(Date.parse(expiresAt ?? '')).toBeGreaterThan(Date.now());
    expect(url).not.toContain('the-secret-access-key');
    expect((await call('DELETE', `/volume-backups/${backup.id}`)).status).toBe(204);
    expect(await bucket.keys('kept/')).toEqual([]);
    expectProblem(await call('GET', `/volume-backups/${backup.id}`), 404, 'There is no such volume backup');
    const { items } = ok(await call('GET', `/audit-log?subjectKind=volume_backup&subjectId=${backup.id}`));
    expect((items as { action: string }[]).map(({ action }) => action)).toEqual([
      ...['volume_backup.deleted', 'volume_backup.downloaded', 'volume_backup.requested'],
    ]);
  });

  test('a backup whose store is away is not deleted, and says why', async () => {
    const { id, environmentId } = await volume();
    const other = await startBucket('');
    const objectStoreId = await store({ endpoint: other.target.endpoint });
    await other.stop();
    const backup = ok(await call('POST', `/volumes/${id}/backups`, { environmentId, objectStoreId }), 201);
    await api.sql`update volume_backup set state = 'succeeded', finished_at = now() where id = ${String(backup.id)}`;
    expectProblem(await call('DELETE', `/volume-backups/${backup.id}`), 409, 'could not be deleted from its store');
    expect((await call('GET', `/volume-backups/${backup.id}`)).status).toBe(200);
  });

  test('of a backup that was given up the object is deleted that its agent tells of afterwards', async () => {
    const { id, environmentId } = await volume();
    const objectStoreId = await store({ endpoint: bucket.target.endpoint, prefix: 'late' });
    const { clusterId } = ok(await call('GET', `/environments/${environmentId}`)) as { clusterId: string };
    const { secret } = await effect(api.database, machine, (making) =>
      createEnrollmentToken(making, { id: clusterId, organizationId: ours.organizationId }),
    );
    const agent = new PeerAgent(api.url);
    await agent.join(secret);
    const tells = async (state: 'failed' | 'running') => {
      const backup = ok(await call('POST', `/volumes/${id}/backups`, { environmentId, objectStoreId }), 201);
      const [backupId, key] = [String(backup.id), `late/${backup.objectKey}`];
      const finishedAt = state === 'failed' ? new Date() : null;
      await api.sql`update volume_backup set state = ${state}, finished_at = ${finishedAt} where id = ${backupId}`;
      await bucket.client.put(key, { pieces: [Buffer.from('archive')] });
      const command = { id: backupId, body: { kind: 'backup-volume' } };
      await effect(api.database, machine, (asking) =>
        createCommand(asking, api.keyring, { id: clusterId, organizationId: ours.organizationId }, command),
      );
      const stored = { sha256: 'a'.repeat(64), sizeBytes: 7, archiveBytes: 10_240 };
      await agent.result(backupId, { exitCode: 0, stored: { ...stored, warnings: [] } });
      return key;
    };
    expect(await bucket.keys(await tells('failed'))).toEqual([]);
    const kept = await tells('running');
    expect(await bucket.keys(kept)).toEqual([kept]);
  });
});
