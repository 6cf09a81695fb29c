import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planChanges } from '../../db/change-sets/apply/plan.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { emptyEffective, type FrozenConfig } from '../../domain/repository-config/effective.ts';
import { type Organization, ok } from '../../test/api/client.ts';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';
import { type SeededPlace, seedRelease } from '../../test/seeds/seed-place.ts';

let api: RunningApi;
let ours: Organization;
let place: SeededPlace;
let other: SeededPlace;
let releaseId = '';
let file: FrozenConfig;
beforeAll(async () => {
  api = await runningApi();
  ours = await api.organization();
  place = await ours.place();
  other = await ours.place({ beside: place });
  releaseId = (await seedRelease(api.database, place, 1)).id;
  const { slug } = await own('service').select('slug').where('id', '=', other.serviceId).executeTakeFirstOrThrow();
  const effective = { ...emptyEffective, env: { LEVEL: 'file' }, dependsOn: [slug, 'not-there'] };
  file = { path: 'ballast.yaml', commit: 'c'.repeat(40), effective };
  await ours.rows.set('release', { id: releaseId }, { content: sql`content || ${JSON.stringify({ file })}::jsonb` });
  await ours.rows.set('environment_service', { service_id: place.serviceId }, { live_release_id: releaseId });
});
afterAll(() => api.close());

const own = (table: 'service') => tenant(api.database.kysely, ours.organizationId).selectFrom(table);
const get = async (path: string) => {
  return ok(await ours.tokens.viewer.get(path));
};

test('the release and the overview have the file of the live release', async () => {
  expect((await get(`/releases/${releaseId}`)).release).toMatchObject({ repositoryConfig: file });
  const { services } = await get(`/environments/${place.environmentId}/overview`);
  const of = (id: string) => (services as { serviceId: string }[]).find(({ serviceId }) => serviceId === id);
  expect(of(place.serviceId)).toMatchObject({ repositoryConfig: file });
  expect(of(other.serviceId)).not.toHaveProperty('repositoryConfig');
});

test('a service is deployed after those that the live file names, where it is live', async () => {
  const wanted = {
    dependsOn: [],
    dependsOnFromFile: { commit: file.commit, path: file.path, slugs: file.effective.dependsOn },
    deployAfter: [{ id: other.serviceId, kind: 'service', via: 'file', keys: [] }],
  };
  const { environmentId, projectId, serviceId } = place;
  expect(await get(`/services/${serviceId}?environmentId=${environmentId}`)).toMatchObject(wanted);
  const { items } = await get(`/projects/${projectId}/services?environmentId=${environmentId}`);
  expect(items).toContainEqual(expect.objectContaining({ id: serviceId }));
  expect((items as { id: string }[]).find(({ id }) => id === serviceId)).toMatchObject(wanted);
  const defined = await get(`/services/${serviceId}`);
  expect(defined).toMatchObject({ deployAfter: [] });
  expect(defined).not.toHaveProperty('dependsOnFromFile');
  const at = { organizationId: ours.organizationId, environmentId };
  const { needs } = await planChanges(api.database.kysely, at, '00000000-0000-0000-0000-000000000000');
  expect([...(needs.get(serviceId)?.dependsOn ?? [])]).toEqual([other.serviceId]);
});
