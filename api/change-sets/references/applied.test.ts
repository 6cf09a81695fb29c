import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { lateValues } from '../../../db/references/values.ts';
import { valuesOf } from '../../../domain/references/frozen.ts';
import { expectProblem } from '../../../test/api/expect-problem.ts';
import { referencesGround } from '../../../test/references/references-ground.ts';

const { at, api, db, service, add, set, batch, contentOf, releaseIdOf, allLive } = referencesGround();
const { apply, applyOf, call, draft, finish, releaseOf, stage } = at;

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
  const delivered = await at.api.effect((one) =>
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
  const rows = await at.api.sql<{ table: string }>`
      select table_name as table from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
    `;
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
  expect((await contentOf(releaseIdOf(second, api))).content_digest).not.toBe(
    (await contentOf(releaseIdOf(first, api))).content_digest,
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

test('values that grow without end are refused, and nothing is written', async () => {
  const doubling = Array.from({ length: 25 }, (_, n) => set(api, `K${n}`, `\${{K${n + 1}}}\${{K${n + 1}}}`));
  await stage(at.staging, add(api), ...doubling, set(api, 'K25', 'twice'));
  expectProblem(await applyOf(at.staging), 409, 'more than 128 kB');
  expect((await draft(at.staging)).items).toHaveLength(27);
});
