import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { requestsPerSecond } from '../engine/load.ts';
import { openGround } from '../ground/ground.ts';
import { refuseDifferentAnswers } from '../ground/same-answers.ts';
import { bearer, seedTeams, seedThings } from '../ground/seed.ts';
import { type Server, startApi, startReference, type Target } from '../ground/servers.ts';

const connectionCounts = [1, 16] as const;

export const pointRead: Benchmark = {
  name: 'point-read',
  what: 'one organization by its id, through the whole stack, against bare Fastify and pg',
  rows: rowsOf('point read'),
  open: () => open('point read', (organizationId) => `/api/v1/organizations/${organizationId}`),
};

export const pageRead: Benchmark = {
  name: 'page',
  what: 'a page of 50 teams with their members, through the whole stack, against bare Fastify and pg',
  rows: rowsOf('page of 50'),
  open: () => open('page of 50', () => '/api/v1/teams?limit=50'),
};

export const searchRead: Benchmark = {
  name: 'search',
  what: 'the best 20 by a part of a name among 1,000 members and 200 clusters with ten workloads each, against bare Fastify and pg',
  rows: rowsOf('search'),
  open: () => open('search', () => '/api/v1/search?q=billing', seedThings),
};

function rowsOf(name: string): Benchmark['rows'] {
  return connectionCounts.map((count) => ({ name: rowName(name, count), unit: 'requests/s', better: 'more' }));
}

function rowName(name: string, connections: number): string {
  return `${name}, ${connections} connection${connections === 1 ? '' : 's'}`;
}

async function open(name: string, pathOf: (organizationId: string) => string, seed = seedTeams): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, token, others = [] } = await seed(ground.database);
  const target: Target = { path: pathOf(organizationId), headers: bearer(token) };
  const reference = opening.use(await startReference(ground, 'reads', target));
  const subject = opening.use(await startApi(ground, target));
  await refuseDifferentAnswers(reference, subject, target);
  const opened = opening.move();

  async function load(server: Server): Promise<Figures> {
    const figures: Record<string, number> = {};
    for (const connections of connectionCounts) {
      figures[rowName(name, connections)] = await requestsPerSecond({
        url: `${server.url}${target.path}`,
        requests: [token, ...others].map((one) => ({ headers: bearer(one) })),
        connections,
        warmUpSeconds: 1,
        seconds: 3,
      });
    }
    return figures;
  }
  return {
    reference: () => load(reference),
    subject: () => load(subject),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
