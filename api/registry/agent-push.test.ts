import { afterAll, expect, test } from 'vitest';
import { blobOf, RegistryClient } from '../../test/registry/registry-client.ts';
import { registryWorld } from '../../test/registry/registry-world.ts';
import { seedAgent, seedBuild } from '../../test/registry/seed-build.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';

let agent: { clusterId: string; secret: string };

const world = await registryWorld();
agent = await seedAgent(world.api, world.organization);
const repository = await seedRepository(world.api.database, world.organization);

afterAll(() => world.close());

const as = (secret = agent.secret, of = repository) => new RegistryClient(world.api.url, of.path, secret);
const begun = async (client: RegistryClient) => {
  const { status, code } = await client.ask('POST', 'blobs/uploads/');
  return code ?? status;
};
const built = (more: Parameters<typeof seedBuild>[2] = { clusterId: agent.clusterId }, of = repository) =>
  seedBuild(world.api.database, of, more);
const end = (id: string) => world.api.rows.set('build', { id }, { state: 'succeeded', finished_at: new Date() });

test('an agent pushes an image by its digest and pulls it while it builds the service, not before and not after', async () => {
  expect(await begun(as())).toBe('NAME_UNKNOWN');
  const id = await built();
  const { digest, layer } = await as().pushImage('what was built');
  expect((await as().ask('GET', `manifests/${digest}`)).status).toBe(200);
  expect((await as().ask('GET', `blobs/${layer.digest}`)).status).toBe(200);
  await end(id);
  for (const path of [`manifests/${digest}`, `blobs/${layer.digest}`, 'tags/list']) {
    expect((await as().ask('GET', path)).code).toBe('NAME_UNKNOWN');
  }
  expect(await begun(as())).toBe('NAME_UNKNOWN');
});

test('a build that has not begun opens nothing', async () => {
  await built({ clusterId: agent.clusterId, state: 'queued' });
  expect(await begun(as())).toBe('NAME_UNKNOWN');
});

test('another service, another cluster and a revoked agent push nothing', async () => {
  const id = await built();
  expect(await begun(as())).toBe(202);
  const beside = await seedRepository(world.api.database, world.organization, {
    service: 'beside',
    beside: repository,
  });
  expect(await begun(as(agent.secret, beside))).toBe('NAME_UNKNOWN');
  expect(await begun(as(agent.secret, world.repository))).toBe('NAME_UNKNOWN');
  const other = await seedAgent(world.api, world.organization);
  expect(await begun(as(other.secret))).toBe('NAME_UNKNOWN');
  const place = await as().begin();
  const url = `/clusters/${agent.clusterId}/agent`;
  expect((await world.api.as(world.organization.tokens.admin).delete(url)).status).toBeLessThan(300);
  expect(await begun(as())).toBe('UNAUTHORIZED');
  const put = await as().ask('PUT', `${place}?digest=${blobOf('x').digest}`, { body: 'x' });
  expect(put.code).toBe('UNAUTHORIZED');
  await end(id);
  agent = await seedAgent(world.api, world.organization);
});

test('an upload that began while the build ran ends with it', async () => {
  const id = await built();
  const place = await as().begin();
  await end(id);
  const { code } = await as().ask('PUT', `${place}?digest=${blobOf('late').digest}`, { body: 'late' });
  expect(code).toBe('NAME_UNKNOWN');
});

test('an agent that builds neither tags nor deletes, nor mounts what it may not pull', async () => {
  const id = await built();
  const { digest, layer, manifest } = await as().pushImage('tagged by nobody');
  const hidden = await world.client(world.other).pushImage('of another project');
  const deeds = [
    await as().pushManifest(manifest, 'latest'),
    await as().ask('DELETE', `manifests/${digest}`),
    await as().ask('DELETE', `blobs/${layer.digest}`),
  ];
  expect(deeds.map(({ code }) => code)).toEqual(['DENIED', 'DENIED', 'DENIED']);
  const mount = `blobs/uploads/?mount=${hidden.layer.digest}&from=${world.other.path}`;
  expect((await as().ask('POST', mount)).status).toBe(202);
  expect((await as().ask('HEAD', `blobs/${hidden.layer.digest}`)).status).toBe(404);
  expect((await world.client(repository).ask('GET', 'tags/list')).bytes.toString()).not.toContain('latest');
  const place = await as().begin();
  expect((await as().ask('DELETE', place)).status).toBe(204);
  await end(id);
});
