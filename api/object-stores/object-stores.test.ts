import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { authority } from '../../test/ground/authority.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { startAnswering } from '../../test/images/registry.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../test/registry/bucket.ts';

const { api, ours } = await ownApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
const as = ours.sessions.admin;
const path = '/api/v1/object-stores';
const secret = 'hunter2-hunter2';
const away = `http://127.0.0.1:${await freePort()}`;

function body(endpoint: string, more: object = {}) {
  const credential = { accessKeyId: 'the-access-key', secretAccessKey: secret };
  return { name: crypto.randomUUID(), endpoint, bucket: 'pushed', ...credential, ...more };
}

async function add(endpoint: string, more: object = {}) {
  const made = await api.call('POST', path, { as, body: body(endpoint, more) });
  expect(made.status, made.text).toBe(201);
  expect(made.text).not.toContain(String('secretAccessKey' in more ? more.secretAccessKey : secret));
  return made.body as { id: string; name: string; lastError: string; verifiedAt?: string };
}

const change = (id: string, changes: object) => api.call('PATCH', `${path}/${id}`, { as, body: changes });

test('what may not be asked is refused at its field', async () => {
  const refused = async (endpoint: string, message: RegExp, field = 'endpoint', more: object = {}) => {
    const { status, body: problem } = await api.call('POST', path, { as, body: body(endpoint, more) });
    expect(status).toBe(422);
    expect(problem.errors).toEqual([
      expect.objectContaining({ location: `body.${field}`, message: expect.stringMatching(message) }),
    ]);
  };
  await refused('https://10.0.0.7:9000', /10\.0\.0\.7 is a private address/);
  await refused('ftp://store.example.com', /must begin with https/);
  await refused('https://key:word@store.example.com', /no user name/);
  await refused('https://store.example.com/?bucket=x', /must be an address such as/);
  await refused('https://store.example.com', /with slashes between them/, 'prefix', { prefix: '../other' });
  await refused('https://store.example.com', /no certificate in PEM/, 'certificateAuthority', {
    certificateAuthority: 'none',
  });
});

test('a store that is away is kept with the reason, and its name can be changed all the same', async () => {
  const { id, lastError, ...rest } = await add(away);
  expect(lastError).toBe(
    `Writing a probe failed: The bucket pushed at ${new URL(away).host} cannot be reached: ECONNREFUSED.`,
  );
  expect(rest).toMatchObject({ region: 'us-east-1', prefix: '', forcePathStyle: true, certificateAuthority: '' });
  expect(rest).not.toHaveProperty('verifiedAt');
  const name = crypto.randomUUID();
  expect((await change(id, { name })).body).toMatchObject({ name, lastError });
  expect((await api.call('GET', `${path}/${id}`, { as: ours.sessions.deployer })).body).toMatchObject({ name });
});

test.each([
  ['endpoint', { endpoint: 'https://elsewhere.example.com' }],
  ['bucket', { bucket: 'others' }],
  ['access key id', { accessKeyId: 'another' }],
])('another %s needs the secret again', async (_, changes) => {
  const { id } = await add(away);
  expectProblem(await change(id, changes), 422, 'body.secretAccessKey');
  const changed = await change(id, { ...changes, secretAccessKey: secret });
  expect(changed.body, changed.text).toMatchObject(changes);
});

test('two who change a store do not overwrite each other', async () => {
  const { id } = await add(away);
  await change(id, { prefix: 'one' });
  expectProblem(await change(id, { prefix: 'two', was: { prefix: '' } }), 409, 'changed prefix to "one"');
});

const hostile: Record<string, [answer: (response: ServerResponse) => unknown, said: RegExp]> = {
  'sends on to a private address': [
    (response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    /^Writing a probe failed: .* answered 307\.$/,
  ],
  'answers without end': [
    (response) => {
      response.writeHead(400);
      response.write('<Code>'.repeat(2_000_000));
    },
    /^Writing a probe failed: .* answered 400\.$/,
  ],
  'answers other bytes': [
    (response) => response.writeHead(200).end('x'.repeat(100_000)),
    /^Reading it back failed: The store answered other bytes than it was given\.$/,
  ],
  'says what turns text around': [
    (response) => response.writeHead(403).end('<Error><Code>\u202eDenied</Code></Error>'),
    /^Writing a probe failed: .* answered 403\.$/,
  ],
};

test.each(Object.entries(hostile))('a store that %s is a failing one', async (_, [answer, said]) => {
  const server = await startAnswering((_request, response) => answer(response));
  try {
    expect((await add(server.url)).lastError).toMatch(said);
  } finally {
    await server.stop();
  }
});

test('of two stores of one name the second is refused', async () => {
  const { name } = await add(away);
  const again = await api.call('POST', path, { as, body: body(away, { name: name.toUpperCase() }) });
  expectProblem(again, 409, `named "${name.toUpperCase()}" exists already`);
});

describe.skipIf(!bucketsAreThere)('a real store', () => {
  let bucket: Bucket;
  let ca = '';
  const credential = { accessKeyId: 'the-access-key', secretAccessKey: 'the-secret-access-key' };
  beforeAll(async () => {
    const made = await authority();
    ca = made.ca;
    bucket = await startBucket('', { ca, ...(await made.certify('127.0.0.1')) });
  });
  afterAll(() => bucket.stop());

  test('is verified over TLS by its own authority, and nothing is left there', async () => {
    const { endpoint } = bucket.target;
    const untrusted = await add(endpoint, credential);
    expect(untrusted.lastError).toMatch(
      /signed by "Authority .*", which is not trusted; give the certificate of that authority with the store/,
    );
    const changed = await change(untrusted.id, { certificateAuthority: `${ca}\nand more`, prefix: '/backups/acme/' });
    expect(changed.body).toMatchObject({
      lastError: '',
      prefix: 'backups/acme',
      verifiedAt: expect.stringMatching(/Z$/),
    });
    expect(await bucket.keys()).toEqual([]);
    const { actor: _, ...record } = (await records(untrusted.id))[0] ?? {};
    expect(record).toMatchObject({
      action: 'object_store.updated',
      details: { prefix: { from: '', to: 'backups/acme' } },
    });
  });

  test('fails with the code that it answers, and works again with what is right', async () => {
    const trusted = { ...credential, certificateAuthority: ca };
    const { id, lastError } = await add(bucket.target.endpoint, { ...trusted, secretAccessKey: 'another-secret' });
    expect(lastError).toMatch(
      /^Writing a probe failed: .* answered 403 SignatureDoesNotMatch: its secret access key is another one\.$/,
    );
    expect((await change(id, { secretAccessKey: credential.secretAccessKey })).body).toMatchObject({ lastError: '' });
    const lost = await change(id, { bucket: 'nothing-here', secretAccessKey: credential.secretAccessKey });
    expect(lost.body.lastError).toMatch(/404 NoSuchBucket/);
    const verified = await api.call('POST', `${path}/${id}/verify`, { as });
    expect(verified.body).toMatchObject({ lastError: lost.body.lastError, verifiedAt: expect.any(String) });
    expect((await api.call('DELETE', `${path}/${id}`, { as })).status).toBe(204);
    expect((await records(id)).map(({ action }) => action)).toEqual([
      ...['object_store.deleted', 'object_store.verified', 'object_store.updated'],
      ...['object_store.updated', 'object_store.created'],
    ]);
    expect(JSON.stringify(await records(id))).not.toContain(credential.secretAccessKey);
  });
});

async function records(subjectId: string) {
  const { body } = await api.call('GET', `/api/v1/audit-log?subjectId=${subjectId}&subjectKind=object_store`, { as });
  return body.items as { action: string; actor: unknown; details: object }[];
}
