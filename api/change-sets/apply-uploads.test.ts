import { beforeEach, expect, test } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import { noSource } from '../../domain/services/settings.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { seedSource } from '../../test/builds/seed-source.ts';
import { applyGround } from '../../test/seeds/apply-ground.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';

const at = applyGround();
const { apply, applyOf, call, create, draft, stage, variable, variablesOf } = at;
let sourceId: string;

beforeEach(async () => {
  const { organizationId } = at.ours;
  const { clusterId } = await seedPlace(at.api.database, organizationId);
  await tenant(at.api.database.kysely, organizationId)
    .updateTable('environment')
    .set({ cluster_id: clusterId })
    .where('project_id', '=', at.projectId)
    .execute();
  const { serviceId } = at.service;
  sourceId = await seedSource(at.api.database, { organizationId, projectId: at.projectId, serviceId });
});

const upload = () => ({
  ...{ kind: 'service.set', serviceId: at.service.serviceId, key: 'source' },
  value: { ...noSource, kind: 'upload' },
});
const uploads = (id = sourceId) => [{ serviceId: at.service.serviceId, sourceId: id }];

test('settings and a build of what was uploaded are one change set with one message', async () => {
  const items = [create(), upload(), variable('A', '1')];
  const applied = await apply(at.staging, { items, uploads: uploads(), message: 'Both at once' });
  const [build] = applied.builds;
  expect(applied.deployments).toEqual([]);
  expect(applied.firstDeploys).toEqual([{ serviceId: at.service.serviceId, buildId: build?.id }]);
  expect(applied.changeSet).toMatchObject({ state: 'applying', message: 'Both at once' });
  const told = { trigger: 'upload', status: 'queued', message: 'Both at once' };
  expect(ok(await call('GET', `/builds/${build?.id}`))).toMatchObject(told);
  // Its deployment is one of the change set, which waits for it.
  expect((await at.api.rows.one('build', { id: build?.id ?? '' })).change_set_id).toBe(applied.changeSet.id);
  expect(await variablesOf(at.staging)).toMatchObject([{ key: 'A', value: '1' }]);
  // Nothing of the settings changes: it is built all the same.
  sourceId = await seedSource(at.api.database, {
    ...{ organizationId: at.ours.organizationId, projectId: at.projectId, serviceId: at.service.serviceId },
  });
  const again = await apply(at.staging, { uploads: uploads(), message: 'Again' });
  expect(again.builds).toHaveLength(1);
});

test('what cannot be built within it is refused, and nothing is staged', async () => {
  const items = [create(), upload()];
  expectProblem(await applyOf(at.staging, { items, uploads: uploads(crypto.randomUUID()) }), 404, 'upload it again');
  const other = await applyOf(at.staging, { items: [create()], uploads: uploads() });
  expect(other.body).toMatchObject({ status: 422, errors: [{ location: 'body.uploads[0].serviceId' }] });
  expectProblem(await applyOf(at.production, { items, uploads: uploads() }), 409, 'In production a folder is built');
  for (const environment of [at.staging, at.production]) expect((await draft(environment)).items).toEqual([]);
  // A service that is there with another source is not built of it either.
  await stage(at.staging, create());
  await apply(at.staging);
  expect((await applyOf(at.staging, { uploads: uploads() })).status).toBe(422);
});
