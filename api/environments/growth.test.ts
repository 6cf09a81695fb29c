import { expect, test } from 'vitest';
import type { Organization } from '../../test/api/client.ts';
import { fileApi } from '../../test/api/own-api.ts';
import { type Watched, watchStatements } from '../../test/installation/watched-statements.ts';
import { seedFullEnvironment } from '../../test/seeds/seed-full-environment.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';
import { seedVariables } from '../../test/seeds/seed-variables.ts';

let watched: Watched;
type Full = SeededPlace & { seeded: Organization };

const api = await fileApi({
  onDatabase: (database) => {
    watched = watchStatements(database);
  },
});
const few = await full(2);
const many = await full(12);

async function full(services: number): Promise<Full> {
  const seeded = await api.organization();
  const place = await seedFullEnvironment(api.database, seeded.organizationId, { services, past: 2 });
  await seedVariables(api.database, place, { each: 2, staged: services });
  return { ...place, seeded };
}

/** Who asks is read by other statements. */
const subjects =
  /\b(deployment|service|environment|environment_service|variable|shared_variable|release|change_set_item|cluster_slice|observed_slice|ingress_host)\b/;

test.each<[string, (place: SeededPlace) => string]>([
  ['the overview', ({ environmentId }) => `/environments/${environmentId}/overview`],
  ['the staged changes', ({ environmentId }) => `/environments/${environmentId}/change-set`],
  ['the services', ({ projectId }) => `/projects/${projectId}/services?limit=50`],
  [
    'the services of the environment',
    ({ projectId, environmentId }) => `/projects/${projectId}/services?limit=50&environmentId=${environmentId}`,
  ],
  ['the deployments of the environment', ({ environmentId }) => `/environments/${environmentId}/deployments?limit=50`],
  ['the variables of the environment', ({ environmentId }) => `/environments/${environmentId}/variables?limit=50`],
  ['the deployments of a service', ({ serviceId }) => `/services/${serviceId}/deployments?limit=50`],
  ['the deployments of the organization', () => '/deployments?limit=50'],
])('%s take as many statements for 12 services as for 2', async (_, pathOf) => {
  const statements = async (place: Full): Promise<number> => {
    const asked = await watched.during(async () => {
      const answer = await api.as(place.seeded.tokens.viewer).get(`${pathOf(place)}`);
      expect(answer.status, answer.text).toBe(200);
      const { items, services } = answer.body as { items?: unknown[]; services?: unknown[] };
      expect((items ?? services ?? []).length, 'an empty answer says nothing').toBeGreaterThan(0);
    });
    return asked.filter(({ sql }) => subjects.test(sql)).length;
  };
  expect(await statements(many)).toBe(await statements(few));
});
