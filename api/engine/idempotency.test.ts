import { expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';

const { api, ours } = await ownApi();

const create = (key: string, name: string, as = ours.tokens.admin) =>
  api.call('POST', '/api/v1/teams', { as, body: { name }, headers: { 'idempotency-key': key } });

async function teamsNamed(name: string): Promise<number> {
  const rows = await api.rows.all('team', { name });
  return rows.length;
}

test('fifty concurrent requests with one key make one team and one answer', async () => {
  const twin = await api.twin();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? api : twin).call('POST', '/api/v1/teams', {
        as: ours.tokens.admin,
        body: { name: 'Fifty' },
        headers: { 'idempotency-key': 'fifty' },
      }),
    ),
  );
  await twin.close();
  const made = answers.filter(({ status }) => status === 201);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  const others = answers.filter(({ status }) => status !== 201);
  expect(others.every(({ status, headers }) => status === 409 && headers.get('retry-after') === '1')).toBe(true);
  expect(await teamsNamed('Fifty')).toBe(1);
  const records = await api.rows.all('audit_record', { subject_name: 'Fifty' });
  expect(records.length).toBe(1);
});

test('a repeated request is answered as the first one was, and says so', async () => {
  const first = await create('again', 'Again');
  const second = await create('again', 'Again');
  expect(second.status).toBe(201);
  expect(second.text).toBe(first.text);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(second.headers.get('idempotent-replayed')).toBe('true');
});

test('an empty answer is repeated too', async () => {
  const { body: team } = await create('for-removal', 'For removal');
  const remove = () =>
    api.call('DELETE', `/api/v1/teams/${team.id}`, { as: ours.tokens.admin, headers: { 'idempotency-key': 'remove' } });
  expect((await remove()).status).toBe(204);
  expect((await remove()).status).toBe(204);
});

test('the same key with another body is 422 at the header', async () => {
  await create('other', 'Other');
  expectProblem(await create('other', 'Another'), 422, [{ location: 'header.Idempotency-Key' }]);
  expect(await teamsNamed('Another')).toBe(0);
});

test('keys belong to their credential and their operation', async () => {
  await create('mine', 'Mine');
  expectProblem(await create('mine', 'Mine', ours.sessions.admin), 409, 'Mine');
});

test('a request that failed leaves its key free', async () => {
  await create('taken-name', 'Taken');
  expect((await create('retry', 'Taken')).status).toBe(409);
  await api.rows.remove('team', { name: 'Taken' });
  expect((await create('retry', 'Taken')).status).toBe(201);
});

test.each(['', 'with space', 'x'.repeat(256), 'ümlaut'])('the key %j is 422 at the header', async (key) => {
  const bytes = Buffer.from(key, 'utf8').toString('latin1');
  expectProblem(await create(bytes, 'Never'), 422, [{ location: 'header.Idempotency-Key' }]);
});

test('an answer with a secret is not stored: a repeat names what was made', async () => {
  const make = () =>
    api.call('POST', '/api/v1/api-tokens', {
      as: ours.sessions.owner,
      body: { name: 'once', role: 'viewer' },
      headers: { 'idempotency-key': 'secret' },
    });
  const first = ok(await make(), 201);
  const again = await make();
  expect(again.status).toBe(409);
  const { token, secret } = first as { token: { id: string }; secret: string };
  expect(again.body.detail).toContain(token.id);
  const stored = JSON.stringify(await api.rows.all('idempotent_answer'));
  expect(stored).not.toContain(secret);
  expect(stored).not.toContain(secret.split('_').slice(2).join('_'));
});
