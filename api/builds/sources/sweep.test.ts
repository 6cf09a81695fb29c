import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { sweepSources, takeSource } from '../../../db/builds/sources.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { type Blob, blobOf } from '../../../test/registry/registry-client.ts';
import { registryWorld } from '../../../test/registry/registry-world.ts';
import { seedAgent, seedBuild } from '../../../test/registry/seed-build.ts';
import { sweep } from '../../registry/sweep-regularly.ts';

const world = await registryWorld();
const { clusterId } = await seedAgent(world.api, world.organization);

afterAll(() => world.close());

const kysely = () => world.api.database.kysely;

/** As if all that there is had not been touched for two days. */
async function age(): Promise<void> {
  for (const table of ['build_source', 'registry_blob', 'registry_link']) {
    await world.api
      .sql`/* across tenants */ update ${sql.table(table)} set touched_at = touched_at - interval '2 days'`;
  }
}

async function source(...blobs: Blob[]): Promise<string> {
  const files = blobs.map(({ digest, size }, at) => ({ path: `f${at}`, kind: 'file', size, digest }));
  const url = `/services/${world.repository.serviceId}/sources`;
  const as = world.organization.tokens.deployer;
  const { body } = await as.post(url, { files });
  for (const blob of blobs) await world.client().pushBlob(blob);
  return (body.source as { id: string }).id;
}

const kept = async () => {
  const own = tenant(kysely(), world.organization.organizationId);
  return (await own.selectFrom('build_source').select('id').execute()).map(({ id }) => id);
};
// By GET: a client that asks by HEAD is about to rely on it, which keeps it for a day.
const there = async ({ digest }: Blob) => (await world.client().ask('GET', `blobs/${digest}`)).status === 200;
const finished = (id: string, ago: string) =>
  world.api.sql`update build set state = 'failed', finished_at = now() - ${ago}::interval where id = ${id}`;

test('blobs stay while a source names them, and go after it', async () => {
  const [mine, shared, lone] = [blobOf('mine'), blobOf('shared'), blobOf('named by nothing')];
  await world.client().pushBlob(lone);
  const first = await source(mine, shared);
  await age();
  await sweep(kysely(), world.store);
  expect([await there(mine), await there(shared), await there(lone)]).toEqual([true, true, false]);
  const second = await source(shared);
  await sweepSources(kysely());
  expect(await kept()).toEqual([second]);
  await age();
  await sweep(kysely(), world.store);
  expect([await there(mine), await there(shared)]).toEqual([false, true]);
  expect(await world.store.blobSize(mine.digest)).toBeUndefined();
  await sweepSources(kysely());
  await sweep(kysely(), world.store);
  expect(await there(shared)).toBe(false);
  expect(first).not.toBe(second);
});

test('a source goes a day after the last build of it has ended, or after it came', async () => {
  const [unbuilt, queued, running, lately, long] = [
    await source(blobOf('1')),
    await source(blobOf('2')),
    await source(blobOf('3')),
    await source(blobOf('4')),
    await source(blobOf('5')),
  ];
  const build = (sourceId: string, state: 'queued' | 'running' | 'failed') =>
    seedBuild(world.api.database, world.repository, { clusterId, sourceId, state });
  await build(queued, 'queued');
  await build(running, 'running');
  await finished(await build(lately, 'failed'), '2 days');
  await finished(await build(lately, 'failed'), '23 hours');
  await finished(await build(long, 'failed'), '25 hours');
  await sweepSources(kysely());
  expect(await kept()).toHaveLength(5);
  await age();
  const fresh = await source(blobOf('6'));
  await sweepSources(kysely());
  expect((await kept()).toSorted()).toEqual([queued, running, lately, fresh].toSorted());
  expect(await kept()).not.toContain(unbuilt);
});

test('one that is announced again or of which a build is requested stays for another day', async () => {
  const [announced, taken] = [await source(blobOf('announced')), await source(blobOf('taken'))];
  await age();
  expect(await source(blobOf('announced'))).toBe(announced);
  const ref = { id: world.repository.serviceId, organizationId: world.organization.organizationId };
  expect((await takeSource(kysely(), ref, taken))?.id).toBe(taken);
  expect(await takeSource(kysely(), { ...ref, id: world.other.serviceId }, taken)).toBeUndefined();
  await sweepSources(kysely());
  expect(await kept()).toEqual(expect.arrayContaining([announced, taken]));
});

test('a source that a build takes at the moment of the sweep is not deleted under it', async () => {
  const id = await source(blobOf('taken at that moment'));
  await age();
  const ref = { id: world.repository.serviceId, organizationId: world.organization.organizationId };
  await kysely()
    .transaction()
    .execute(async (running) => {
      expect((await takeSource(running, ref, id))?.id).toBe(id);
      await sweepSources(kysely());
    });
  expect(await kept()).toContain(id);
});
