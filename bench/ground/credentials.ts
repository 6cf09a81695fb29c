import { createOrganization } from '../../db/organizations/organizations.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { requestsPerSecond } from '../engine/load.ts';
import { openGround } from './ground.ts';
import { asBench, bearer, seedTokens } from './seed.ts';
import { startApi } from './servers.ts';

const row = 'credential check, 10 tokens against 1,000';

/** Nothing about a credential is kept between requests, so it must not matter how many there are. */
export const credentials: Benchmark = {
  name: 'credentials',
  what: 'requests of 1,000 tokens in turn, against requests of 10 (both sides are Ballast)',
  rows: [{ name: row, unit: 'requests/s', better: 'more' }],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, tokens } = await asBench(ground.database, async (running) => {
    const { id } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    return { organizationId: id, tokens: await seedTokens(running, id, 1000) };
  });
  const path = `/api/v1/organizations/${organizationId}`;
  const server = opening.use(await startApi(ground, { path, headers: bearer(tokens[0] ?? '') }));
  const opened = opening.move();

  async function load(count: number): Promise<Figures> {
    const requests = tokens.slice(0, count).map((token) => ({ headers: bearer(token) }));
    const url = `${server.url}${path}`;
    return { [row]: await requestsPerSecond({ url, requests, connections: 16, warmUpSeconds: 1, seconds: 3 }) };
  }
  return {
    reference: () => load(10),
    subject: () => load(1000),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
