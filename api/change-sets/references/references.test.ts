import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { effect } from '../../../db/engine/effect.ts';
import { lateValues } from '../../../db/references/late-values.ts';
import { valuesOf } from '../../../domain/references/frozen.ts';
import { type Applied, ApplyGround } from '../../../test/seeds/apply-ground.ts';
import { machine } from '../../../test/seeds/seed.ts';
import { seedService } from '../../../test/seeds/seed-service.ts';

const at = new ApplyGround();
const { apply, applyOf, call, draft, finish, goLive, releaseOf, stage } = at;

type Service = { serviceId: string; processId: string; slug: string };
let [api, db]: [Service, Service] = [at.service, at.service];

beforeAll(() => at.open());
beforeEach(async () => {
  await at.begin();
  [api, db] = [await service('api'), await service('db')];
});
afterAll(() => at.close());

async function service(slug: string, process = {}): Promise<Service> {
  const place = { organizationId: at.ours.organizationId, projectId: at.projectId };
  return await seedService(at.api.database, place, { slug, image: `${at.host}/app:1`, process });
}

const add = ({ serviceId }: Service) => ({ kind: 'service.create', serviceId });
const remove = ({ serviceId }: Service) => ({ kind: 'service.remove', serviceId });
const set = (of: Service | undefined, key: string, value: string, more: object = {}) => ({
  ...{ kind: 'variable.set', key, value, ...more },
  ...(of === undefined ? {} : { serviceId: of.serviceId }),
});
const unset = (of: Service | undefined, key: string) => ({
  ...{ kind: 'variable.unset', key },
  ...(of === undefined ? {} : { serviceId: of.serviceId }),
});
const batch = (...items: object[]) => call('PUT', `/environments/${at.staging}/change-set/items:batch`, { items });
const refusal = async (...items: object[]) => {
  const before = JSON.stringify(await draft(at.staging));
  const { status, body } = await batch(...items);
  expect(JSON.stringify(await draft(at.staging))).toBe(before);
  return [status, (body as { detail: string }).detail];
};

const contentOf = async (releaseId: string) =>
  await at.api.database.kysely
    .selectFrom('release')
    .select(['content', 'content_digest as digest'])
    .where('id', '=', releaseId)
    .executeTakeFirstOrThrow();
const releaseIdOf = ({ deployments }: Applied, { serviceId }: Service) =>
  deployments.find((one) => one.serviceId === serviceId)?.releaseId ?? '';
const allLive = async ({ deployments }: Applied) => {
  for (const { id } of deployments) await goLive(id);
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
    expect((await call('DELETE', `/change-set-items/${ofD?.id}`)).body).toMatchObject({
      status: 409,
      detail: expect.stringContaining('api.A refers to db.D'),
    });
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

describe('applying', () => {
  test('values are put into releases; a secret one makes what it was put into secret, also in what people read', async () => {
    await stage(
      at.staging,
      ...[add(api), add(db), set(db, 'PASS', 's3cr3t-value', { secret: true }), set(undefined, 'NAME', 'shop')],
      set(api, 'DATABASE', 'postgres://${{shared.NAME}}:${{db.PASS}}@${{db.HOST}}:${{db.PORT}}'),
      set(api, 'PLAIN', '${{shared.NAME}} $${{x}}'),
    );
    const applied = await apply(at.staging);
    const id = releaseIdOf(applied, api);
    const { content } = await contentOf(id);
    expect(content.variables).toEqual({ PLAIN: 'shop ${{x}}' });
    expect(content.references?.written).toEqual({
      DATABASE: 'postgres://${{shared.NAME}}:${{db.PASS}}@${{db.HOST}}:${{db.PORT}}',
      PLAIN: '${{shared.NAME}} $${{x}}',
    });
    expect(JSON.stringify(content)).not.toContain('s3cr3t-value');
    expect((await at.secretsOf(id))['late:DATABASE']).toContain('postgres://shop:s3cr3t-value@');
    const { late } = valuesOf(content, await at.secretsOf(id));
    const reached = content.references?.reached ?? {};
    const cluster = { id: at.staging, organizationId: at.ours.organizationId };
    const delivered = await effect(at.api.database, machine, (one) =>
      lateValues(one, cluster, { environmentId: at.staging, late, reached, docker: true }),
    );
    expect(delivered).toEqual({ DATABASE: 'postgres://shop:s3cr3t-value@web.db:8080' });
    expect((await releaseOf(id)).variableKeys).toEqual(['DATABASE', 'PLAIN']);
    const pages = [
      `/environments/${at.staging}/variables`,
      `/change-sets/${applied.changeSet.id}`,
      `/releases/${id}`,
      `/deployments/${applied.deployments[0]?.id}`,
      `/services/${api.serviceId}?environmentId=${at.staging}`,
    ];
    for (const page of pages) {
      const { status, text } = await call('GET', page);
      expect([status, text.includes('s3cr3t-value')]).toEqual([200, false]);
    }
    const refused = await batch(set(db, 'PASS', 's3cr3t-value ${{db.NOT}}'));
    expect([refused.status, refused.text.includes('s3cr3t-value')]).toEqual([409, false]);
    // Whatever table it is: audit log, feed, outbox, events, desired state.
    const { rows } = await sql<{ table: string }>`
      select table_name as table from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
    `.execute(at.api.database.kysely);
    expect(rows.length).toBeGreaterThan(40);
    for (const { table } of rows) {
      const found = await sql`select 1 from ${sql.table(table)} one where one::text like '%s3cr3t-value%'`.execute(
        at.api.database.kysely,
      );
      expect([table, found.rows.length]).toEqual([table, 0]);
    }
  });

  test('services whose values become others follow, over others and shared variables, in order; the rest stays', async () => {
    const web = await service('web');
    const items = [add(api), add(db), add(web), set(undefined, 'S', '1'), set(db, 'D', '${{shared.S}}')];
    await stage(at.staging, ...items, set(api, 'A', '${{db.D}}!'), set(web, 'W', 'nothing'));
    const first = await apply(at.staging);
    await allLive(first);
    const staged = await stage(at.staging, set(undefined, 'S', '2'));
    const both = [api.serviceId, db.serviceId].toSorted();
    expect(
      (staged as unknown as { summary: { affectedServiceIds: string[] } }).summary.affectedServiceIds.toSorted(),
    ).toEqual(both);
    const second = await apply(at.staging);
    expect(second.deployments.map(({ serviceId }) => serviceId)).toEqual([db.serviceId, api.serviceId]);
    expect((await contentOf(releaseIdOf(second, api))).content.variables).toEqual({ A: '2!' });
    expect((await contentOf(releaseIdOf(second, api))).digest).not.toBe(
      (await contentOf(releaseIdOf(first, api))).digest,
    );
    const [ofDb, ofApi] = second.deployments;
    expect((await call('GET', `/deployments/${ofApi?.id}`)).body).toMatchObject({ blocker: 'dependency' });
    await finish(ofDb?.id ?? '', 'failed');
    expect((await call('GET', `/deployments/${ofApi?.id}`)).body).toMatchObject({
      state: 'cancelled',
      blocker: 'dependency',
    });
  });

  test('a service names those that it is deployed after, and who is referred to is not deleted', async () => {
    await stage(
      at.staging,
      add(api),
      add(db),
      set(db, 'D', '1'),
      set(api, 'A', '${{db.D}}'),
      set(api, 'B', '${{db.URL}}'),
    );
    const after = { id: db.serviceId, kind: 'service', name: 'db', slug: 'db', keys: ['A', 'B'], via: 'reference' };
    const one = await call('GET', `/services/${api.serviceId}?environmentId=${at.staging}`);
    expect(one.body).toMatchObject({ deployAfter: [after] });
    const listed = await call('GET', `/projects/${at.projectId}/services?environmentId=${at.staging}`);
    expect((listed.body as { items: object[] }).items).toContainEqual(
      expect.objectContaining({ id: api.serviceId, deployAfter: [after] }),
    );
    const deleted = await call('DELETE', `/services/${db.serviceId}`);
    expect(deleted.body).toMatchObject({
      status: 409,
      detail: expect.stringContaining(
        '"db" is still referred to: api.A refers to db.D (in Staging); api.B refers to db.URL',
      ),
    });
  });

  test('another port of a process that is referred to is another value', async () => {
    await stage(at.staging, add(api), add(db), set(api, 'A', '${{db.URL}}'));
    await allLive(await apply(at.staging));
    await stage(at.staging, { kind: 'process.set', processId: db.processId, key: 'port', value: 9090 });
    const { deployments } = await apply(at.staging);
    expect(deployments.map(({ serviceId }) => serviceId)).toEqual([db.serviceId, api.serviceId]);
  });

  test('a rollback runs the values of then and brings back what was written', async () => {
    await stage(
      at.staging,
      add(api),
      add(db),
      set(db, 'D', '1'),
      set(api, 'A', '${{db.D}}', { secret: true }),
      set(api, 'P', '${{db.D}}'),
    );
    const first = await apply(at.staging);
    await allLive(first);
    await stage(at.staging, set(api, 'A', 'other', { secret: false }), set(api, 'P', 'other'));
    await allLive(await apply(at.staging));
    const releaseId = releaseIdOf(first, api);
    const rolled = await call('POST', `/releases/${releaseId}/rollback`, { queue: true });
    expect(rolled.status, rolled.text).toBe(201);
    await stage(at.staging, set(db, 'D', '2'));
    const { deployments } = await apply(at.staging);
    expect(deployments.map(({ serviceId }) => serviceId)).toEqual([db.serviceId, api.serviceId]);
    const again = deployments[1]?.releaseId ?? '';
    expect(await at.secretsOf(again)).toEqual({ A: '2', 'written:A': '${{db.D}}' });
    expect((await contentOf(again)).content).toMatchObject({
      variables: { P: '2' },
      references: { written: { P: '${{db.D}}' } },
    });
  });

  test('values that grow without end are refused, and nothing is written', async () => {
    const doubling = Array.from({ length: 25 }, (_, n) => set(api, `K${n}`, `\${{K${n + 1}}}\${{K${n + 1}}}`));
    await stage(at.staging, add(api), ...doubling, set(api, 'K25', 'twice'));
    expect((await applyOf(at.staging)).body).toMatchObject({
      status: 409,
      detail: expect.stringContaining('more than 128 kB'),
    });
    expect((await draft(at.staging)).items).toHaveLength(27);
  });
});

test('in production a change of a shared variable waits for its approval, which is stale once a value that it refers to is another one', async () => {
  const to = at.production;
  const decide = (id: string) =>
    call('POST', `/approvals/${id}/decide`, { decision: 'approved' }, at.ours.sessions.owner);
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
  expect((await decide(first.approval?.id ?? '')).status).toBe(200);
  await allLive(first);
  await stage(to, set(api, 'B', '${{db.D}}'));
  const held = await apply(to);
  await stage(to, set(db, 'D', '2'));
  const other = await apply(to);
  expect((await decide(other.approval?.id ?? '')).status).toBe(200);
  expect((await decide(held.approval?.id ?? '')).body).toMatchObject({
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
