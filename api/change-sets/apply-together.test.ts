import { beforeEach, expect, test } from 'vitest';
import { noSource } from '../../domain/services/settings.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { applyGround } from '../../test/seeds/apply-ground.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const at = applyGround();
const { apply, applyOf, call, create, draft, stage, variable, variablesOf } = at;
/** Another service of the project. */
let other: { serviceId: string };

beforeEach(async () => {
  const place = { organizationId: at.ours.organizationId, projectId: at.projectId };
  other = await seedService(at.api.database, place, { image: `${at.host}/app:1` });
});

const image = (serviceId: string, tag: string) => ({
  ...{ kind: 'service.set', serviceId, key: 'source' },
  value: { ...noSource, imageRepository: `${at.host}/app:${tag}` },
});
const ofOther = () => [{ kind: 'service.create', serviceId: other.serviceId }, image(other.serviceId, 'missing')];
const shared = { kind: 'variable.set', key: 'SHARED', value: '1' };
const keys = ({ items }: { items: { key: string }[] }) => items.map(({ key }) => key);

test('a dry run answers what would be staged, and stages nothing', async () => {
  await stage(at.staging, create(), variable('A', '1'));
  const before = await draft(at.staging);
  const path = `/environments/${at.staging}/change-set/items:batch`;
  const { serviceId } = at.service;
  const items = [variable('A', '2'), variable('B', '1'), { kind: 'process.create', serviceId, name: 'worker' }];
  const told = await call('PUT', path, { items, dryRun: true });
  expect([told.status, keys(told.body as never)]).toEqual([200, ['', 'A', 'B', '']]);
  expect(told.body).toMatchObject({ changeSet: before.changeSet });
  expect(await draft(at.staging)).toEqual(before);
  const { body: processes } = await call('GET', `/services/${serviceId}/processes`);
  expect(processes.items).toHaveLength(1);
  const wrong = await call('PUT', path, { items: [variable('1', '2')], dryRun: true });
  expect(wrong.body).toMatchObject({ status: 422, errors: [{ location: 'body.items[0].key' }] });
});

test('of one service all that is staged is applied with what comes along, and the rest stays staged', async () => {
  await stage(at.staging, create(), variable('A', '1'), shared, ...ofOther());
  await stage(at.production, create(), ...ofOther());
  const seen = await draft(at.staging);
  const applied = await apply(at.staging, {
    ...{ items: [variable('A', '2'), variable('B', '1')], serviceIds: [at.service.serviceId] },
    expectedRevision: seen.changeSet.revision,
  });
  expect(applied.deployments).toMatchObject([{ serviceId: at.service.serviceId }]);
  const { body } = await call('GET', `/change-sets/${applied.changeSet.id}`);
  expect(keys(body as never)).toEqual(['', 'A', 'B']);
  const variables = await variablesOf(at.staging);
  expect(variables.filter(({ staged }) => staged === undefined)).toMatchObject([
    { key: 'A', value: '2' },
    { key: 'B', value: '1' },
  ]);
  expect(variables.filter(({ staged }) => staged !== undefined)).toMatchObject([{ key: 'SHARED' }]);
  const left = await draft(at.staging);
  expect([left.changeSet.id === seen.changeSet.id, keys(left)]).toEqual([false, ['SHARED', '', 'source']]);
  // Those are as they were: they can be applied, and are refused for what is wrong with them.
  expect((await applyOf(at.staging)).body.detail).toContain('/app:missing');
  expect((await applyOf(at.staging, { serviceIds: [at.service.serviceId] })).body.detail).toContain(
    'Nothing is staged',
  );
  const absent = await applyOf(at.staging, { serviceIds: [crypto.randomUUID()] });
  expect(absent.body).toMatchObject({ status: 422, errors: [{ location: 'body.serviceIds[0]' }] });
  // Nor is anything of another environment touched.
  expect(keys(await draft(at.production))).toEqual(['', '', 'source']);
});

test('shared variables that the values of the service refer to go along, and no others', async () => {
  const other = { ...shared, key: 'OTHER' };
  const items = [create(), variable('A', '${{shared.SHARED}}')];
  await stage(at.staging, shared, other, ...ofOther());
  const path = `/environments/${at.staging}/change-set/items:batch`;
  const serviceIds = [at.service.serviceId];
  const told = await call('PUT', path, { items, dryRun: true, serviceIds });
  expect(keys(told.body as never).toSorted()).toEqual(['', 'A', 'SHARED']);
  const { changeSet } = await apply(at.staging, { items, serviceIds });
  const { body } = await call('GET', `/change-sets/${changeSet.id}`);
  expect(keys(body as never).toSorted()).toEqual(['', 'A', 'SHARED']);
  expect(keys(await draft(at.staging)).toSorted()).toEqual(['', 'OTHER', 'source']);
  expectProblem(await call('PUT', path, { items, serviceIds }), 422, [{ location: 'body.serviceIds' }]);
});

test('what is refused is not staged either', async () => {
  await stage(at.staging, create(), variable('A', '1'));
  const before = await draft(at.staging);
  const items = [variable('A', '2'), image(at.service.serviceId, 'missing')];
  expectProblem(await applyOf(at.staging, { items }), 409, '/app:missing');
  const late = await applyOf(at.staging, { items: [variable('A', '2')], expectedRevision: 0 });
  expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('are not those that you saw')]);
  expectProblem(await applyOf(at.staging, { items: [variable('1', '2')] }), 422, [{ location: 'body.items[0].key' }]);
  expect(await draft(at.staging)).toEqual(before);
});

test('in production the rest stays staged while one waits, and what is rejected returns beside it', async () => {
  await stage(at.production, create(), variable('A', '1'), ...ofOther());
  const held = await apply(at.production, { serviceIds: [at.service.serviceId] });
  expect(held.approval).toBeDefined();
  expect(keys(await draft(at.production))).toEqual(['', 'source']);
  expect((await call('POST', `/change-sets/${held.changeSet.id}/cancel`)).status).toBe(200);
  expect(keys(await draft(at.production)).toSorted()).toEqual(['', '', 'A', 'source']);
});
