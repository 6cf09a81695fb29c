import { createToken } from '../../../db/api-tokens/api-tokens.ts';
import { createOrganization } from '../../../db/organizations/organizations.ts';
import { countAgain } from '../../../test/seeds/count-again.ts';
import { seedFullEnvironment } from '../../../test/seeds/seed-full-environment.ts';
import { seedHistory } from '../../../test/seeds/seed-history.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { openGround } from '../../ground/ground.ts';
import { asBench, bearer } from '../../ground/seed.ts';
import { startApi } from '../../ground/servers.ts';
import { type Asked, mediansMillis } from './median-millis.ts';

const few = 1_000;
const many = 1_000_000;
const bound = 1.3;

interface Ids {
  projectId: string;
  environmentId: string;
  serviceId: string;
}

/** All that reads past deployments. The cursor of the second page comes with the first. */
const reads: Readonly<Record<string, (ids: Ids) => string>> = {
  'deployments of the organization': () => '/deployments?limit=50',
  'their second page': () => '/deployments?limit=50',
  'those that failed': () => '/deployments?limit=50&state=failed',
  'those that were rejected': () => '/deployments?limit=50&state=rejected',
  'those that expired, of which there are none': () => '/deployments?limit=50&state=expired',
  'those under way': () => '/deployments?limit=50&open=true',
  'deployments of a project': ({ projectId }) => `/deployments?limit=50&projectId=${projectId}`,
  'deployments of an environment': ({ environmentId }) => `/environments/${environmentId}/deployments?limit=50`,
  'deployments of a service': ({ serviceId }) => `/services/${serviceId}/deployments?limit=50`,
  'rejected ones of a service': ({ serviceId }) => `/services/${serviceId}/deployments?limit=50&state=rejected`,
  'deployments per day': () => '/deployments/per-day',
  'deployments per day of a service': ({ serviceId }) => `/deployments/per-day?serviceId=${serviceId}`,
  'statistics of 30 days': () => '/deployments/stats',
  'statistics of a service': ({ serviceId, environmentId }) =>
    `/deployments/stats?serviceId=${serviceId}&environmentId=${environmentId}`,
  'statistics of a year': () => `/deployments/stats?since=${midnight(365)}`,
  projects: () => '/projects?limit=50',
  'overview of an environment': ({ environmentId }) => `/environments/${environmentId}/overview`,
  'what is broken': () => '/attention',
};

const row = (read: string): string => `history: ${read}`;

/** The same installation with a short and with a long past: both sides are Ballast. */
export const history: Benchmark = {
  name: 'history',
  what: `lists, counts and statistics with ${many} past deployments, against ${few} (both sides are Ballast)`,
  rows: Object.keys(reads).map((read) => ({
    name: row(read),
    unit: 'ms',
    better: 'less',
    mostBeside: (reference) => bound * reference,
  })),
  rounds: 3,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const short = opening.use(await openSide(few));
  const long = opening.use(await openSide(many));
  const opened = opening.move();
  /** Both sides of a round: whichever comes first asks both in turn, so that what else the machine does meets both. */
  let other: Promise<Figures> | undefined;
  const side = async (number: 0 | 1): Promise<Figures> => {
    if (other !== undefined) {
      const figures = await other;
      other = undefined;
      return figures;
    }
    const both = ask([short, long]);
    other = both.then((figures) => figures[number === 0 ? 1 : 0]);
    return (await both)[number];
  };
  return {
    reference: () => side(0),
    subject: () => side(1),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Side = Awaited<ReturnType<typeof openSide>>;

async function ask(sides: readonly [Side, Side]): Promise<[Figures, Figures]> {
  const figures: [Record<string, number>, Record<string, number>] = [{}, {}];
  for (const read of Object.keys(reads)) {
    const asked = await Promise.all(sides.map((side) => side.asked(read)));
    for (const [index, median] of (await mediansMillis(asked)).entries()) (figures[index] ?? {})[row(read)] = median;
  }
  return figures;
}

async function openSide(count: number) {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { kysely } = ground.database;
  const { organizationId, token } = await asBench(ground.database, async (running) => {
    const { id } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    const { secret } = await createToken(running, { organizationId: id, name: 'bench', role: 'viewer' });
    return { organizationId: id, token: secret };
  });
  const place = await seedFullEnvironment(ground.database, organizationId, { services: 5, past: 1 });
  await seedFullEnvironment(ground.database, organizationId, { services: 5, past: 1 });
  await seedHistory(kysely, organizationId, count);
  await countAgain(kysely, ground.env.DATABASE_URL ?? '');
  const headers = bearer(token);
  const server = opening.use(await startApi(ground, { path: '/api/v1/projects', headers }));
  const opened = opening.move();
  return {
    async asked(read: string): Promise<Asked> {
      const url = `${server.url}/api/v1${reads[read]?.(place)}`;
      return { url: read === 'their second page' ? await nextPage(url, headers) : url, headers };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function nextPage(url: string, headers: Record<string, string>): Promise<string> {
  const { nextCursor } = (await (await fetch(url, { headers })).json()) as { nextCursor: string };
  return `${url}&cursor=${encodeURIComponent(nextCursor)}`;
}

function midnight(daysAgo: number): string {
  const day = 86_400_000;
  return new Date((Math.floor(Date.now() / day) - daysAgo) * day).toISOString();
}
