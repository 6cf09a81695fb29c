import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../../test/api/expect-problem.ts';
import { referencesGround } from '../../../test/references/references-ground.ts';

const { at, api, db, add, remove, set, unset, batch, allLive } = referencesGround();
const { apply, call, draft, stage, decide } = at;

const refusal = async (...items: object[]) => {
  const before = JSON.stringify(await draft(at.staging));
  const { status, body } = await batch(...items);
  expect(JSON.stringify(await draft(at.staging))).toBe(before);
  return [status, (body as { detail: string }).detail];
};

describe('staging', () => {
  test('a batch may refer to what it sets itself, in any order; what is not there is refused, and nothing of it is staged', async () => {
    const { items } = await stage(at.staging, add(api), set(api, 'URL', '${{db.NAME}}'), add(db), set(db, 'NAME', 'x'));
    expect(items).toHaveLength(4);
    const long = 'n'.repeat(300);
    for (const [value, why] of [
      ['${{db.PASSWORD}}', 'api.A refers to db.PASSWORD: the service "db" has no variable "PASSWORD"'],
      ['${{db.name}}', 'has no variable "name"'],
      ['${{dienst-ä.X}}', 'there is no service "dienst-ä" in this environment'],
      ['${{db.worker.HOST}}', 'has no process "worker" that listens'],
      ['${{shared.X}}', 'there is no shared variable "X"'],
      [`\${{${long}.X}}`, `there is no service "${'n'.repeat(80)}…"`],
    ] as const) {
      expect(await refusal(set(api, 'B', 'staged with it'), set(api, 'A', value))).toEqual([
        409,
        expect.stringContaining(why),
      ]);
    }
    await stage(at.staging, set(api, 'A', '$${{db.PASSWORD}} ${{!?}} ${{db.HOST}} ${{URL}}'));
    expect((await batch(set(api, 'C', 'x'.repeat(1_000_000)))).status).toBe(422);
  });

  test('a circle over services and shared variables is refused with the way', async () => {
    await stage(
      at.staging,
      add(api),
      add(db),
      set(undefined, 'S', '1'),
      set(db, 'D', '${{shared.S}}'),
      set(api, 'A', '${{db.D}}'),
    );
    expect(await refusal(set(undefined, 'S', '${{api.A}}'))).toEqual([
      409,
      expect.stringContaining('shared.S → api.A → db.D → shared.S'),
    ]);
  });

  test('what others refer to stays, unless they stop in the same batch', async () => {
    await stage(
      at.staging,
      add(api),
      add(db),
      set(undefined, 'S', '1'),
      set(db, 'D', '2'),
      set(api, 'A', '${{db.D}}${{shared.S}}${{db.HOST}}'),
    );
    const { items } = await draft(at.staging);
    const ofD = (items as { id?: string; key: string }[]).find(({ key }) => key === 'D');
    expectProblem(await call('DELETE', `/change-set-items/${ofD?.id}`), 409, 'api.A refers to db.D');
    await allLive(await apply(at.staging));
    const why = [409, expect.stringContaining('It is still referred to. api.A refers to')];
    expect(await refusal(unset(db, 'D'))).toEqual(why);
    expect(await refusal(unset(undefined, 'S'))).toEqual(why);
    expect(await refusal(remove(db))).toEqual(why);
    expect(await refusal({ kind: 'process.delete', processId: db.processId })).toEqual(why);
    expect(await refusal({ kind: 'process.set', processId: db.processId, key: 'kind', value: 'worker' })).toEqual(why);
    expect((await batch(unset(db, 'D'), unset(undefined, 'S'), set(api, 'A', 'none'))).status).toBe(200);
  });
});

test('in production a change of a shared variable waits for its approval, which is stale once a value that it refers to is another one', async () => {
  const to = at.production;
  const staged = await stage(
    to,
    add(api),
    add(db),
    set(db, 'D', '1'),
    set(api, 'A', '${{shared.S}}'),
    set(undefined, 'S', '1'),
  );
  expect(staged).toMatchObject({ summary: { needsApproval: true } });
  const first = await apply(to);
  expect((await decide(first.approval?.id)).status).toBe(200);
  await allLive(first);
  await stage(to, set(api, 'B', '${{db.D}}'));
  const held = await apply(to);
  await stage(to, set(db, 'D', '2'));
  const other = await apply(to);
  expect((await decide(other.approval?.id)).status).toBe(200);
  expect((await decide(held.approval?.id)).body).toMatchObject({
    status: 409,
    title: 'Conflict',
    detail: expect.stringContaining('a value that it refers to is another one'),
  });
});

test('those that refer to a variable are told, applied and staged, of shared ones and of those of a service', async () => {
  const referrers = async (more = '') => {
    const { status, body } = await call('GET', `/environments/${at.staging}/variables/referrers${more}`);
    expect(status).toBe(200);
    const { items, nextCursor } = body as { items: Listed[]; nextCursor?: string };
    return { nextCursor, items: items.map(({ key, count, referrers: by }) => [key, count, by.map(named)]) };
  };
  type Listed = { key: string; count: number; referrers: { serviceId?: string; serviceSlug: string; key: string }[] };
  const named = (one: Listed['referrers'][number]) => `${one.serviceSlug}.${one.key}`;
  await stage(
    at.staging,
    ...[add(api), add(db), set(undefined, 'REGION', 'eu'), set(undefined, 'ZONE', '${{REGION}}-1')],
    ...[set(db, 'NAME', 'shop'), set(db, 'URL_OF', '${{NAME}} $${{shared.ZONE}} ${{shared.REGION}}')],
    ...[set(api, 'A', '${{db.NAME}} ${{db.HOST}} ${{shared.REGION}}', { secret: true }), set(api, 'B', '${{db.HOST}}')],
  );
  await apply(at.staging);
  const region = ['REGION', 3, ['.ZONE', 'api.A', 'db.URL_OF']];
  expect((await referrers()).items).toEqual([region]);
  expect((await referrers(`?serviceId=${db.serviceId}`)).items).toEqual([['NAME', 2, ['api.A', 'db.URL_OF']]]);
  expect((await referrers(`?serviceId=${api.serviceId}`)).items).toEqual([]);
  await stage(at.staging, unset(api, 'A'), set(api, 'B', '${{shared.ZONE}}'), set(db, 'URL_OF', 'x'));
  expect((await referrers()).items).toEqual([
    ['REGION', 1, ['.ZONE']],
    ['ZONE', 1, ['api.B']],
  ]);
  const { nextCursor = '' } = await referrers('?limit=1');
  expect((await referrers(`?limit=1&cursor=${encodeURIComponent(nextCursor)}`)).items).toEqual([
    ['ZONE', 1, ['api.B']],
  ]);
});

test('shared variables are listed by themselves, imported from an env file, and have a past', async () => {
  const path = `/environments/${at.staging}/variables`;
  await stage(at.staging, add(api), set(api, 'A', '1'), set(undefined, 'REGION', 'eu'), set(undefined, 'ZONE', 'a'));
  await apply(at.staging);
  // That of a service with the same key is another one.
  await stage(at.staging, set(api, 'REGION', 'x'));
  const text = 'REGION=us\nKEY=hidden';
  const { body, status } = await call('POST', `${path}/import`, { text, secret: ['KEY'], replace: true });
  expect([status, (body as { changes: object[] }).changes]).toEqual([
    200,
    [
      expect.objectContaining({ key: 'REGION', change: 'changed', from: 'eu', to: 'us' }),
      expect.objectContaining({ key: 'KEY', change: 'added', secret: true, to: '' }),
      expect.objectContaining({ key: 'ZONE', change: 'removed' }),
    ],
  ]);
  const { items } = (await call('GET', `${path}?shared=true`)).body as { items: Record<string, unknown>[] };
  expect(items.map(({ key, value, staged, serviceId }) => [key, value, staged, serviceId])).toEqual([
    ['KEY', '', 'set', undefined],
    ['REGION', 'us', 'set', undefined],
    ['ZONE', 'a', 'unset', undefined],
  ]);
  await apply(at.staging);
  const past = (await call('GET', `${path}/history?key=REGION`)).body as { items: Record<string, unknown>[] };
  expect(past.items.map(({ from, to }) => [from, to])).toEqual([
    ['"eu"', '"us"'],
    ['', '"eu"'],
  ]);
});
