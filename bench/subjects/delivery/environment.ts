import { createToken } from '../../../db/api-tokens/api-tokens.ts';
import { createOrganization } from '../../../db/organizations/organizations.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { seedEvents, seedFullEnvironment, seedOpenDeployments } from '../../../test/seeds/seed-full-environment.ts';
import { seedVariables } from '../../../test/seeds/seed-variables.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { answered } from '../../engine/load.ts';
import { openGround } from '../../ground/ground.ts';
import { refuseDifferentAnswers } from '../../ground/same-answers.ts';
import { asBench, bearer } from '../../ground/seed.ts';
import { type Server, startApi, startReference, type Target } from '../../ground/servers.ts';

const services = 200;
const past = 10_000;
const variables = 2_000;
const staged = 500;
const batch = 100;
const connections = 4;

interface Place {
  environmentId: string;
  projectId: string;
}

/** The questions that the console asks on the pages of an environment. */
const reads: Readonly<Record<string, (place: Place) => string>> = {
  overview: ({ environmentId }) => `/api/v1/environments/${environmentId}/overview`,
  'staged changes': ({ environmentId }) => `/api/v1/environments/${environmentId}/change-set`,
  'page of 50 variables': ({ environmentId }) => `/api/v1/environments/${environmentId}/variables?limit=50`,
  'page of 50 services': ({ projectId }) => `/api/v1/projects/${projectId}/services?limit=50`,
  'page of 50 services of the environment': ({ projectId, environmentId }) =>
    `/api/v1/projects/${projectId}/services?limit=50&environmentId=${environmentId}`,
  'page of 50 deployments of the environment': ({ environmentId }) =>
    `/api/v1/environments/${environmentId}/deployments?limit=50`,
  'page of 50 deployments of the organization': () => '/api/v1/deployments?limit=50',
};

const row = (read: string): string => `environment: p99 of ${read}`;
const batchRow = row(`staging a batch of ${batch}`);

/** An environment as it is after months. It is the latency that is judged, not its ratio. */
export const environment: Benchmark = {
  name: 'environment',
  what: `${services} services with ${past} past deployments, ${variables} variables and ${staged} staged changes: what its pages ask for, at ${connections} connections, against bare Fastify and pg`,
  rows: [...Object.keys(reads).map(row), batchRow].map((name) => ({
    name,
    unit: 'ms',
    better: 'less',
    mostBeside: () => 150,
  })),
  rounds: 3,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, token } = await asBench(ground.database, async (running) => {
    const { id } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    const { secret } = await createToken(running, { organizationId: id, name: 'bench', role: 'deployer' });
    return { organizationId: id, token: secret };
  });
  const place = await seedFullEnvironment(ground.database, organizationId, { services, past: past / services });
  await seedOpenDeployments(ground.database, place);
  await seedEvents(ground.database, place);
  await seedVariables(ground.database, place, { each: variables / services, staged: staged - services });
  const targets = Object.entries(reads).map(([read, pathOf]): [string, Target] => [
    row(read),
    { path: pathOf(place), headers: bearer(token) },
  ]);
  const first = targets[0]?.[1];
  if (first === undefined) throw new Error('There is nothing to read.');
  const reference = opening.use(await startReference(ground, 'environment', first));
  const subject = opening.use(await startApi(ground, first));
  for (const [, target] of targets) await refuseDifferentAnswers(reference, subject, target);
  const own = tenant(ground.database.kysely, organizationId)
    .selectFrom('environment_service')
    .select('service_id as id');
  const ids = (await own.where('environment_id', '=', place.environmentId).limit(batch).execute()).map(({ id }) => id);
  const opened = opening.move();

  /** Two batches in turn, so that each changes what the one before has staged. Each connection stages the same. */
  async function stageBatches(server: Server): Promise<number> {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    const requests = ['one', 'other'].map((value) => ({
      method: 'PUT' as const,
      headers,
      body: JSON.stringify({
        items: ids.map((serviceId) => ({ kind: 'variable.set', serviceId, key: 'KEY_1', value })),
      }),
    }));
    const url = `${server.url}/api/v1/environments/${place.environmentId}/change-set/items:batch`;
    return (await answered({ url, requests, connections, warmUpSeconds: 2, seconds: 8 })).p99;
  }

  async function load(server: Server): Promise<Figures> {
    const figures: Record<string, number> = {};
    for (const [name, { path, headers }] of targets) {
      const asked = { url: `${server.url}${path}`, requests: [{ headers }], connections };
      figures[name] = (await answered({ ...asked, warmUpSeconds: 2, seconds: 8 })).p99;
    }
    return figures;
  }
  return {
    // The reference only reads.
    reference: async () => ({ ...(await load(reference)), [batchRow]: 0 }),
    subject: async () => ({ ...(await load(subject)), [batchRow]: await stageBatches(subject) }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
