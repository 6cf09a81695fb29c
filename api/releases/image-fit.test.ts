import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { noSource } from '../../domain/services/settings.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import { type SeededPlace, seedRelease } from '../../test/seeds/seed-place.ts';

let place: SeededPlace;

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const blobs = new Map<string, string>();
const kept = (document: object): string => {
  const text = JSON.stringify(document);
  blobs.set(digestOf(text), text);
  return digestOf(text);
};
const image = (architecture: string, annotations?: object) => {
  const how = { Entrypoint: ['/app'], Cmd: [architecture], User: '1000', WorkingDir: '/srv' };
  const config = kept({ os: 'linux', architecture, config: annotations === undefined ? how : { Cmd: ['bound'] } });
  return kept({ schemaVersion: 2, config: { digest: config }, layers: [], annotations });
};
const bound = { 'dev.ballast.host-bound': 'linux/amd64' };
const tags: Record<string, string> = {
  plain: image('amd64'),
  arm: image('arm64'),
  bound: image('amd64', bound),
};
const listed = (tag: string, architecture: string, annotations?: object) => ({
  ...{ digest: tags[tag], annotations },
  platform: { os: 'linux', architecture },
});
tags.list = kept({
  schemaVersion: 2,
  manifests: [
    { digest: tags.plain, platform: { os: 'unknown', architecture: 'unknown' } },
    listed('plain', 'amd64'),
    listed('arm', 'arm64'),
    listed('bound', 'amd64', bound),
  ],
});

// Manifests want a sign-in, and blobs lie elsewhere, where it must not be shown.
const outside = createServer(({ url = '', headers }, answer) => {
  const name = url.split('/').at(-1) ?? '';
  const text = blobs.get(name) ?? blobs.get(tags[name] ?? '');
  if (url.startsWith('/token')) answer.writeHead(200).end('{"token":"good"}');
  else if (url.startsWith('/elsewhere/')) answer.writeHead(headers.authorization === undefined ? 200 : 400).end(text);
  else if (headers.authorization !== 'Bearer good') {
    answer.writeHead(401, { 'www-authenticate': `Bearer realm="http://${host}/token"` }).end();
  } else if (url.includes('/blobs/')) answer.writeHead(307, { location: `/elsewhere/${name}` }).end();
  else if (text === undefined) answer.writeHead(404).end();
  else answer.writeHead(200, { 'docker-content-digest': digestOf(text) }).end(text);
});
await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(outside.address() as AddressInfo).port}`;
const api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
const ours = await api.organization();
afterAll(async () => {
  await api.close();
  outside.close();
});
beforeEach(async () => {
  place = await ours.place();
});

const call = (method: string, path: string, body?: unknown) => ours.tokens.admin.call(method, path, body);
const driver = (name: string) =>
  api.sql`update cluster_agent set facts = facts || ${JSON.stringify({ driver: name })}::jsonb
    where cluster_id = ${place.clusterId}`;
const stage = async (key: string, value: unknown) => {
  const { environmentId, serviceId } = place;
  const item = { kind: 'service.set', serviceId, key, value };
  const staged = await call('PUT', `/environments/${environmentId}/change-set/items`, item);
  expect(staged.status, staged.text).toBe(200);
  return (staged.body.changeSet as { id: string }).id;
};
const source = (tag: string) => ({ ...noSource, imageRepository: `${host}/team/app:${tag}` });
const apply = async (tag: string) => await call('POST', `/change-sets/${await stage('source', source(tag))}/apply`, {});
const configOf = async () =>
  await call('GET', `/services/${place.serviceId}/image-config?environmentId=${place.environmentId}`);

test('an image that the cluster cannot run is refused before anything is written, with the reason', async () => {
  const plain = await apply('plain');
  expect(plain).toMatchObject({
    status: 409,
    body: {
      detail: expect.stringMatching(/app:plain@sha256.* cannot run here: it has a base system.*without containers/),
    },
  });
  expect((await apply('arm')).body.detail).toMatch(/made for linux\/arm64, and the cluster ".*" runs linux\/amd64/);
  expect(await ours.rows.all('release', { service_id: place.serviceId })).toEqual([]);
  expect((await apply('bound')).status).toBe(200);
  await driver('docker');
  expect((await apply('bound')).body.detail).toMatch(/carries no base system.*runs containers \(docker\)/);
  expect((await apply('plain')).status).toBe(200);
  expect((await apply('list')).status).toBe(200);
});

test('a release of before is refused, too, when it is rolled back to or deployed again', async () => {
  const { id } = await seedRelease(api.database, place, 1);
  const platforms = JSON.stringify([{ os: 'linux', architecture: 'amd64', hostBound: 'linux/amd64' }]);
  await api.sql`update release set image_platforms = ${platforms}::jsonb where id = ${id}`;
  await ours.rows.set('environment_service', { service_id: place.serviceId }, { live_release_id: id });
  await driver('docker');
  const { environmentId, serviceId } = place;
  const again = await call('POST', `/services/${serviceId}/redeploy`, { environmentId });
  expect(again).toMatchObject({ status: 409, body: { detail: expect.stringContaining('carries no base system') } });
  await ours.rows.set('environment_service', { service_id: serviceId }, { live_release_id: null });
  expect((await call('POST', `/releases/${id}/rollback`, {})).status).toBe(409);
  await driver('process');
  expect((await call('POST', `/releases/${id}/rollback`, {})).status).toBe(201);
});

test('a release command that nobody would run is refused at apply, and named with the cluster', async () => {
  await stage('releaseCommand', ['migrate']);
  const refused = await apply('bound');
  expect(refused).toMatchObject({
    status: 409,
    body: {
      detail: expect.stringMatching(/^The release command of ".*" would not run\. The cluster "c-.*releaseCommand/),
    },
  });
  await stage('releaseCommand', []);
  expect((await apply('bound')).status).toBe(200);
});

test('the image of another registry says how it starts, as the variant for the cluster', async () => {
  expectProblem(await configOf(), 409, 'has no image');
  await stage('source', source('list'));
  expect((await configOf()).body).toMatchObject({ imageRef: `${host}/team/app:list`, cmd: ['bound'], entrypoint: [] });
  await driver('docker');
  expect((await configOf()).body).toMatchObject({
    ...{ cmd: ['amd64'], entrypoint: ['/app'], user: '1000', workingDir: '/srv' },
  });
  await stage('source', source('missing'));
  expectProblem(await configOf(), 409, 'missing');
});

test('an image that was pushed here says how it starts; 409 before it was, 404 where the service is not', async () => {
  await stage('source', { ...noSource, imageRepository: ':1' });
  expectProblem(await configOf(), 409, 'push it first');
  const config = { os: 'linux', architecture: 'amd64', config: { Cmd: ['serve'], WorkingDir: null } };
  const content = Buffer.from(JSON.stringify({ annotations: bound }));
  const named = { service_id: place.serviceId, digest: digestOf('one') };
  await ours.rows.add('registry_manifest', { ...named, media_type: 'x', content, size: content.length, config });
  await ours.rows.add('registry_tag', { ...named, name: '1' });
  expect(await configOf()).toMatchObject({
    status: 200,
    body: { imageRef: ':1', cmd: ['serve'], entrypoint: [], user: '', workingDir: '' },
  });
  const elsewhere = await ours.place();
  const path = `/services/${place.serviceId}/image-config?environmentId=${elsewhere.environmentId}`;
  expect((await call('GET', path)).status).toBe(404);
});
