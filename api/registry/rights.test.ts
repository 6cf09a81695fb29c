import { afterAll, describe, expect, test } from 'vitest';
import { revokeToken } from '../../db/api-tokens/api-tokens.ts';
import { effect } from '../../db/engine/effect.ts';
import { inOneMinute } from '../../test/ground/until.ts';
import { seedToken } from '../../test/installation/running-api.ts';
import { blobOf, digestOf, RegistryClient } from '../../test/registry/registry-client.ts';
import { registryWorld, tokenOf } from '../../test/registry/registry-world.ts';
import { type SeededRepository, seedRepository } from '../../test/registry/seed-repository.ts';
import { machine } from '../../test/seeds/seed.ts';

const world = await registryWorld();
const stranger = await world.api.organization();
const image = await world.client().pushImage('whose is it', 'v1');

afterAll(() => world.close());

const reads = () => ['manifests/v1', `manifests/${image.digest}`, `blobs/${image.layer.digest}`, 'tags/list'] as const;
const withPassword = (password: string | undefined, of: SeededRepository = world.repository) =>
  new RegistryClient(world.api.url, of.path, password);

describe('who shows nothing good', () => {
  test.each([
    ['no credential', undefined],
    ['a password that is none', 'x'],
    ['a token that does not exist', 'svc_abcdef0123456789_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ['an agent that does not exist', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
  ])('%s is 401 everywhere, with a challenge', async (_, password) => {
    const client = withPassword(password);
    for (const path of ['/v2/', '/v2/a', '/v2/no/such/thing/tags/list', ...reads()]) {
      const { status, code, headers } = await client.ask('GET', path);
      expect([path, status, code]).toEqual([path, 401, 'UNAUTHORIZED']);
      expect(headers.get('www-authenticate')).toMatch(/^Basic realm="/);
      expect(headers.get('docker-distribution-api-version')).toBe('registry/2.0');
    }
    expect((await client.ask('POST', 'blobs/uploads/')).status).toBe(401);
  });

  test('who asks without a credential first is challenged as often as a credential is served, and no more', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '5' };
    const { api, repository, organization, close } = await registryWorld(env);
    const ask = async (authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      return (await new RegistryClient(api.url, repository.path, undefined).ask('GET', 'tags/list', { headers }))
        .status;
    };
    const token = `Bearer ${tokenOf(organization.tokens.viewer)}`;
    await inOneMinute(async () => {
      const pulls = Array.from({ length: 20 }, async () => [await ask(), await ask(token)]);
      expect(await Promise.all(pulls)).toEqual(Array(20).fill([401, 200]));
      // A credential that is none, and a challenge, take nothing from each other.
      const guesses = await Promise.all(Array.from({ length: 10 }, () => ask('Basic eDp4')));
      expect(guesses.toSorted()).toEqual([...Array(5).fill(401), ...Array(5).fill(429)]);
      const challenges = await Promise.all(Array.from({ length: 60 }, () => ask()));
      expect(challenges.toSorted()).toEqual([...Array(40).fill(401), ...Array(20).fill(429)]);
      expect(await ask(token)).toBe(200);
    });
    await close();
  });

  test('a session is no credential here, and a token is one as Bearer, too', async () => {
    const { admin } = world.organization.sessions;
    const cookie = 'session' in admin ? `svc_session=${admin.session}` : '';
    expect((await withPassword(undefined).ask('GET', 'tags/list', { headers: { cookie } })).status).toBe(401);
    const authorization = `Bearer ${tokenOf(world.organization.tokens.viewer)}`;
    expect((await withPassword(undefined).ask('GET', 'tags/list', { headers: { authorization } })).status).toBe(200);
  });

  test('a token that was revoked is none any more', async () => {
    const { database } = world.api;
    const { organizationId } = world.organization;
    const token = await seedToken(database, organizationId, 'deployer');
    expect((await withPassword(token.token).ask('GET', 'tags/list')).status).toBe(200);
    await effect(database, machine, (running) => revokeToken(running, organizationId, token.id));
    expect((await withPassword(token.token).ask('GET', 'tags/list')).status).toBe(401);
  });
});

describe('roles', () => {
  const changes = () =>
    [
      ['POST', 'blobs/uploads/'],
      ['POST', `blobs/uploads/?mount=${image.layer.digest}&from=${world.repository.path}`],
      ['PATCH', 'blobs/uploads/01890000-0000-7000-8000-000000000000'],
      ['PUT', 'manifests/v2'],
      ['DELETE', 'manifests/v1'],
      ['DELETE', `blobs/${image.layer.digest}`],
    ] as const;

  test('a viewer pulls, and is DENIED to push and to delete', async () => {
    const viewer = withPassword(tokenOf(world.organization.tokens.viewer));
    for (const path of reads()) expect((await viewer.ask('GET', path)).status).toBe(200);
    for (const [method, path] of changes()) {
      const { status, code } = await viewer.ask(method, path);
      expect([method, path, status, code]).toEqual([method, path, 403, 'DENIED']);
    }
  });

  test('to another organization the repository is NAME_UNKNOWN, like one that does not exist', async () => {
    const admin = tokenOf(stranger.tokens.admin);
    const told = (bytes: Buffer, path: string) => bytes.toString().replaceAll(path, '');
    for (const path of reads()) {
      const there = await withPassword(admin).ask('GET', path);
      expect([there.status, there.code]).toEqual([404, 'NAME_UNKNOWN']);
      const nowhere = { ...world.repository, path: `${world.organization.slug}/no/such` };
      const absent = await withPassword(admin, nowhere).ask('GET', path);
      expect(told(absent.bytes, nowhere.path)).toBe(told(there.bytes, world.repository.path));
    }
    for (const [method, path] of changes())
      expect((await withPassword(admin).ask(method, path)).code).toBe('NAME_UNKNOWN');
  });

  test('nothing is mounted from where the caller may not pull', async () => {
    const theirs = await seedRepository(world.api.database, stranger);
    const client = withPassword(tokenOf(stranger.tokens.deployer), theirs);
    const { digest } = image.layer;
    expect((await client.ask('POST', `blobs/uploads/?mount=${digest}&from=${world.repository.path}`)).status).toBe(202);
    expect((await client.ask('HEAD', `blobs/${digest}`)).status).toBe(404);
  });

  test('a digest is no right: who pushes the same bytes gets them, and nobody else does', async () => {
    const secret = blobOf('the same bytes in two organizations');
    await world.client().pushBlob(secret);
    const theirs = withPassword(tokenOf(stranger.tokens.deployer), await seedRepository(world.api.database, stranger));
    expect((await theirs.ask('HEAD', `blobs/${secret.digest}`)).status).toBe(404);
    expect((await theirs.pushBlob(secret)).status).toBe(201);
    await theirs.ask('DELETE', `blobs/${secret.digest}`);
    expect((await world.client().ask('GET', `blobs/${secret.digest}`)).bytes).toEqual(secret.bytes);
  });

  test('a token that is limited to projects keeps to their repositories, and mounts from nowhere else', async () => {
    const { organizationId } = world.organization;
    const { projectId } = world.other;
    const limited = tokenOf(await seedToken(world.api.database, organizationId, 'deployer', [projectId]));
    for (const path of reads()) expect((await withPassword(limited).ask('GET', path)).code).toBe('NAME_UNKNOWN');
    expect((await withPassword(limited).ask('POST', 'blobs/uploads/')).code).toBe('NAME_UNKNOWN');
    const own = withPassword(limited, world.other);
    expect((await own.pushImage('in its own project', 'v1')).digest).toMatch(/^sha256:/);
    const mount = `blobs/uploads/?mount=${image.layer.digest}&from=${world.repository.path}`;
    expect((await own.ask('POST', mount)).status).toBe(202);
  });

  test('a repository ends with its service', async () => {
    const doomed = await seedRepository(world.api.database, world.organization);
    await world.client(doomed).pushImage('of a deleted service', 'v1');
    await world.api.rows.set('service', { id: doomed.serviceId }, { deletion_id: doomed.serviceId });
    expect((await world.client(doomed).ask('GET', 'tags/list')).code).toBe('NAME_UNKNOWN');
  });
});

describe('the agent of a cluster', () => {
  test('pulls what is to run there, and nothing else; it pushes nothing', async () => {
    const { clusterId, secret } = await world.cluster();
    const agent = withPassword(secret);
    expect((await agent.ask('GET', '/v2/')).status).toBe(200);
    for (const path of reads()) expect((await agent.ask('GET', path)).code).toBe('NAME_UNKNOWN');
    await world.runs(clusterId);
    for (const path of reads()) expect((await agent.ask('GET', path)).status).toBe(200);
    expect((await agent.ask('POST', 'blobs/uploads/')).code).toBe('DENIED');
    expect((await withPassword(secret, world.other).ask('GET', 'tags/list')).code).toBe('NAME_UNKNOWN');
    await world.api.rows.set('cluster_slice', { cluster_id: clusterId }, { removed_at: new Date() });
    expect((await agent.ask('GET', 'tags/list')).code).toBe('NAME_UNKNOWN');
  });
});

describe('what leads nowhere', () => {
  test.each([
    '/v2/_catalog',
    '/v2/one/tags/list',
    '/v2/one/two/tags/list',
    '/v2/one/two/three/four/tags/list',
    '/v2/..%2f..%2fetc/x/y/tags/list',
    '/v2/..%2f/..%2f/..%2f/blobs/uploads/',
    '/v2/a%00b/c/d/tags/list',
    '/v2/UPPER/case/path/tags/list',
  ])('%s is NAME_UNKNOWN, or not here', async (path) => {
    expect((await world.client().ask('GET', path)).status).toBe(404);
  });

  test('a method that a path does not have is UNSUPPORTED', async () => {
    for (const [method, path] of [
      ['POST', 'manifests/v1'],
      ['PUT', `blobs/${digestOf(Buffer.from('x'))}`],
      ['DELETE', 'tags/list'],
    ] as const) {
      const { status, code } = await world.client().ask(method, path);
      expect([status, code]).toEqual([405, 'UNSUPPORTED']);
    }
  });
});
