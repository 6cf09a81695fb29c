import type { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Organization } from '../../test/api/client.ts';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';
import { type Watched, watchStatements } from '../../test/installation/watched-statements.ts';
import { countAgain } from '../../test/seeds/count-again.ts';
import { seedFullEnvironment, seedOpenDeployments } from '../../test/seeds/seed-full-environment.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';
import { seedVariables } from '../../test/seeds/seed-variables.ts';

let api: RunningApi;
let watched: Watched;

type Full = SeededPlace & { seeded: Organization };
let small: Full;
let wide: Full;
let old: Full;

beforeAll(async () => {
  api = await runningApi({
    onDatabase: (database) => {
      watched = watchStatements(database);
    },
  });
  small = await full({ services: 10, past: 100 });
  wide = await full({ services: 100, past: 60 });
  old = await full({ services: 10, past: 1_000 });
  await countAgain(api.database.kysely, api.databaseUrl);
});
afterAll(() => api.close());

/** In an organization of its own, beside another environment whose deployments are all newer. One value of each service refers to another service. */
async function full(size: { services: number; past: number }): Promise<Full> {
  const seeded = await api.organization();
  await seedFullEnvironment(api.database, seeded.organizationId, size);
  const place = await seedFullEnvironment(api.database, seeded.organizationId, { ...size, daysAgo: 100 });
  await seedOpenDeployments(api.database, place);
  await seedVariables(api.database, place, { each: 5, staged: size.services });
  return { ...place, seeded };
}

const reads: Readonly<Record<string, (place: SeededPlace, limit: number) => string>> = {
  'the overview': ({ environmentId }) => `/environments/${environmentId}/overview`,
  'the staged changes': ({ environmentId }) => `/environments/${environmentId}/change-set`,
  'the services': ({ projectId }, limit) => `/projects/${projectId}/services?limit=${limit}`,
  'the services of the environment': ({ projectId, environmentId }, limit) =>
    `/projects/${projectId}/services?limit=${limit}&environmentId=${environmentId}`,
  'the deployments of the environment': ({ environmentId }, limit) =>
    `/environments/${environmentId}/deployments?limit=${limit}`,
  'the variables of the environment': ({ environmentId }, limit) =>
    `/environments/${environmentId}/variables?limit=${limit}`,
  'the deployments of a service': ({ serviceId }, limit) => `/services/${serviceId}/deployments?limit=${limit}`,
  'the deployments of the organization': (_, limit) => `/deployments?limit=${limit}`,
  'those that failed': (_, limit) => `/deployments?limit=${limit}&state=failed`,
  'the deployments of the project': ({ projectId }, limit) => `/deployments?limit=${limit}&projectId=${projectId}`,
};

/** The subjects that can grow; who asks is read by other statements. */
const subjects =
  /\b(deployment|service|environment|environment_service|variable|shared_variable|release|change_set_item|cluster_slice|observed_slice|ingress_host)\b/;

/** The statements of a read, and how many rows it answers. */
async function ask(path: string, place: Full): Promise<{ statements: CompiledQuery[]; answered: number }> {
  let answered = 0;
  const statements = await watched.during(async () => {
    const answer = await api.as(place.seeded.tokens.viewer).get(path);
    expect(answer.status, answer.text).toBe(200);
    const { items, services } = answer.body as { items?: unknown[]; services?: unknown[] };
    answered = (items ?? services ?? []).length;
  });
  expect(answered, 'an empty answer says nothing').toBeGreaterThan(0);
  return { statements: statements.filter(({ sql }) => subjects.test(sql)), answered };
}

async function rowsRead(statements: readonly CompiledQuery[], table?: string): Promise<number> {
  let rows = 0;
  for (const statement of statements) rows += await watched.rowsRead(statement, table);
  return rows;
}

describe.each(Object.entries(reads))('%s', (_, pathOf) => {
  async function cost(place: Full, limit: number): Promise<{ statements: number; rowsForOne: number }> {
    const { statements, answered } = await ask(pathOf(place, limit), place);
    return { statements: statements.length, rowsForOne: (await rowsRead(statements)) / answered };
  }

  test('takes as many statements for 100 services as for 10, and reads as many rows for each that is answered', async () => {
    const few = await cost(small, 10);
    const many = await cost(wide, 50);
    expect(many.statements).toBe(few.statements);
    expect(many.rowsForOne).toBeLessThanOrEqual(few.rowsForOne * 1.25);
  });

  test('reads as many rows after 1,000 deployments of each service as after 100', async () => {
    const before = await cost(small, 10);
    const after = await cost(old, 10);
    expect(after.rowsForOne).toBeLessThanOrEqual(before.rowsForOne * 1.25);
  });
});

test.each([
  ['an environment', () => `/environments/${old.environmentId}/deployments?open=true`],
  ['the organization', () => '/deployments?open=true'],
])('for the open deployments of %s none is read that has ended', async (_, pathOf) => {
  const open = api.database.kysely.selectFrom('deployment').where('finished_at', 'is', null).select('id');
  const { statements } = await ask(pathOf(), old);
  expect(await rowsRead(statements, 'deployment')).toBeLessThanOrEqual((await open.execute()).length);
});

test.each([
  ['a service in its environment', () => `?environmentId=${old.environmentId}&serviceId=${old.serviceId}`, 1],
  ['the environment', () => `?environmentId=${old.environmentId}`, 1],
  ['the organization', () => '', 2],
])('for statistics of %s two rows of each counter are read, and no deployment', async (_, query, scopes) => {
  const since = new Date(Math.floor(Date.now() / 86_400_000 - 300) * 86_400_000).toISOString();
  const path = `/deployments/stats${query()}${query() === '' ? '?' : '&'}since=${since}`;
  const statements = await watched.during(async () => {
    const answer = await api.as(old.seeded.tokens.viewer).get(path);
    expect(answer.body.sampleSize, answer.text).toBeGreaterThan(800);
  });
  const asked = statements.filter(({ sql }) => /\bdeployment(_durations)?\b/.test(sql));
  expect(await rowsRead(asked, 'deployment_durations')).toBeLessThanOrEqual(2 * scopes);
  expect(await rowsRead(asked, 'deployment')).toBe(0);
});

describe('of variables', () => {
  const pages = {
    'the environment': () => '',
    'a service': ({ serviceId }: SeededPlace) => `&serviceId=${serviceId}`,
    'what refers to a service': ({ serviceId }: SeededPlace) => `/referrers&serviceId=${serviceId}`,
  };

  /** Four services, each with so many variables; as many as in the other one refer, and are staged. */
  async function withVariables(each: number): Promise<Full> {
    const seeded = await api.organization();
    const place = await seedFullEnvironment(api.database, seeded.organizationId, { services: 4, past: 1 });
    await seedVariables(api.database, place, { each, staged: each, referring: 20 });
    return { ...place, seeded };
  }

  let few: Full;
  let many: Full;
  beforeAll(async () => {
    few = await withVariables(250);
    many = await withVariables(2_500);
    await countAgain(api.database.kysely, api.databaseUrl);
  });

  /** The third page, and its rows. */
  async function costOf(pathOf: (place: SeededPlace) => string, place: Full): Promise<number> {
    const [more = '', query = ''] = pathOf(place).split('&');
    const url = `/environments/${place.environmentId}/variables${more}?limit=50&${query}`;
    let cursor = '';
    for (let page = 0; page < 2; page += 1) {
      const { body } = await api.as(place.seeded.tokens.viewer).get(`${url}${cursor}`);
      if (body.nextCursor !== undefined) cursor = `&cursor=${encodeURIComponent(body.nextCursor as string)}`;
    }
    const { statements, answered } = await ask(`${url}${cursor}`, place);
    return (await rowsRead(statements)) / answered;
  }

  test.each(Object.entries(pages))('a page of %s reads as many rows of 10,000 as of 1,000', async (_, pathOf) => {
    const before = await costOf(pathOf, few);
    expect(await costOf(pathOf, many)).toBeLessThanOrEqual(before * 1.25);
  });
});
