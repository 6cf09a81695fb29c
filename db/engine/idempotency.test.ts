import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { createTeam } from '../teams/teams.ts';
import { effect } from './effect.ts';
import { beginIdempotent, type IdempotentRequest, storeAnswer, sweepIdempotentAnswers } from './idempotency.ts';

const fresh = await freshDatabase({ poolMax: 20 });
const organizationId = await seedOrganization(fresh.database);
afterAll(() => fresh.drop());

const hash = (body: string): Buffer => createHash('sha256').update(body).digest();
const request = (key: string, body = 'body'): IdempotentRequest => ({
  credentialId: 'token-1',
  operation: 'teams.create',
  key,
  requestHash: hash(body),
});

test('fifty at once with one key make one team, and everybody else is told so', async () => {
  const once = request('fifty');
  const call = () =>
    effect(fresh.database, machine, async (effect) => {
      const start = await beginIdempotent(effect.kysely, once);
      if (start.kind !== 'first') return start;
      const team = await createTeam(effect, organizationId, 'Ops');
      await storeAnswer(effect.kysely, once, { status: 201, body: JSON.stringify({ id: team.id }) });
      return { kind: 'made' as const, id: team.id };
    });
  const results = await Promise.all(Array.from({ length: 50 }, call));
  const made = results.filter((result) => result.kind === 'made');
  expect(made).toHaveLength(1);
  const others = results.filter((result) => result.kind !== 'made');
  for (const result of others) expect(['replay', 'still-running']).toContain(result.kind);
  const { rows } = await sql`select id from team where organization_id = ${organizationId}`.execute(
    fresh.database.kysely,
  );
  expect(rows).toHaveLength(1);
  expect(await call()).toEqual({ kind: 'replay', status: 201, body: JSON.stringify({ id: made[0]?.id }) });
});

test('a twin that comes while the first one runs is told at once', async () => {
  const once = request('twin');
  await effect(fresh.database, machine, async (first) => {
    expect(await beginIdempotent(first.kysely, once)).toEqual({ kind: 'first' });
    await effect(fresh.database, machine, async (second) => {
      expect(await beginIdempotent(second.kysely, once)).toEqual({ kind: 'still-running' });
      // Another credential's key of the same name is another key.
      expect(await beginIdempotent(second.kysely, { ...once, credentialId: 'token-2' })).toEqual({ kind: 'first' });
    });
  });
});

test('another request with the key, a secret answer and an empty one are told apart', async () => {
  const store = (key: string, answer: Parameters<typeof storeAnswer>[2]) =>
    storeAnswer(fresh.database.kysely, request(key), answer);
  await store('plain', { status: 201, body: '{"a":1}' });
  await store('secret', { status: 201, secretSubjectId: 'token-9' });
  await store('empty', { status: 204, body: undefined });
  const begin = (asked: IdempotentRequest) =>
    fresh.database.kysely.transaction().execute((transaction) => beginIdempotent(transaction, asked));
  expect(await begin(request('plain', 'another body'))).toEqual({ kind: 'other-request' });
  expect(await begin(request('plain'))).toEqual({ kind: 'replay', status: 201, body: '{"a":1}' });
  expect(await begin(request('secret'))).toEqual({ kind: 'secret', subjectId: 'token-9' });
  expect(await begin(request('empty'))).toEqual({ kind: 'replay', status: 204, body: undefined });
});

test('an effect that fails leaves no answer, so that the request can be tried again', async () => {
  const once = request('again');
  const failing = effect(fresh.database, machine, async (effect) => {
    await beginIdempotent(effect.kysely, once);
    await storeAnswer(effect.kysely, once, { status: 201, body: '{}' });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await effect(fresh.database, machine, async (effect) => {
    expect(await beginIdempotent(effect.kysely, once)).toEqual({ kind: 'first' });
  });
});

test('answers are forgotten after their time', async () => {
  const { kysely } = fresh.database;
  await sql`delete from idempotent_answer`.execute(kysely);
  await storeAnswer(kysely, request('old'), { status: 204, body: undefined });
  await storeAnswer(kysely, request('new'), { status: 204, body: undefined });
  await sql`update idempotent_answer set created_at = now() - interval '25 hours' where key = 'old'`.execute(kysely);
  expect(await sweepIdempotentAnswers(kysely, 24)).toBe(1);
  const { rows } = await sql`select key from idempotent_answer`.execute(kysely);
  expect(rows).toEqual([{ key: 'new' }]);
});
