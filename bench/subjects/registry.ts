import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { p99 } from '../engine/steady-load.ts';
import { openGround } from '../ground/ground.ts';
import { bearer, seedService, seedTeams } from '../ground/seed.ts';
import { type Server, startApi } from '../ground/servers.ts';

const pushes = 10;
const megabytes = 200;
const seconds = 20;

const rows = {
  latency: `p99 of 50 requests a second of a signed-in user, with ${pushes} pushes of ${megabytes} MB at once`,
} as const;

/** The same API without pushes and with many. It is the latency that is judged, not its ratio. */
export const registry: Benchmark = {
  name: 'registry',
  what: `${pushes} pushes of ${megabytes} MB at once into the registry, while the API answers`,
  rows: [{ name: rows.latency, unit: 'ms', better: 'less', mostBeside: () => 200 }],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, token } = await seedTeams(ground.database);
  const deployer = await seedService(ground.database, organizationId);
  const target = { path: `/api/v1/organizations/${organizationId}`, headers: bearer(token) };
  const env = { REGISTRY_DIRECTORY: ground.file('registry'), REGISTRY_BYTES_PER_ORGANIZATION: '1000000000000' };
  const api = opening.use(await startApi(ground, target, env));
  const opened = opening.move();

  async function latency(): Promise<number> {
    const load = { url: `${api.url}${target.path}`, headers: target.headers, perSecond: 50 };
    await p99({ ...load, seconds: 3 });
    return await p99({ ...load, seconds });
  }

  return {
    reference: async (): Promise<Figures> => ({ [rows.latency]: await latency() }),
    async subject() {
      const stopping = new AbortController();
      const clients = Array.from({ length: pushes }, () => pushOn(api, deployer.secret, stopping.signal));
      const measured = await latency();
      stopping.abort();
      await Promise.all(clients);
      return { [rows.latency]: measured };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** One blob after the other, none of which the registry has. */
async function pushOn(api: Server, token: string, signal: AbortSignal): Promise<void> {
  const piece = randomBytes(1_000_000);
  while (!signal.aborted) {
    // Only the beginning differs: to make 200 MB of random bytes each time would be measured, too.
    const first = randomBytes(1_000_000);
    const hash = createHash('sha256').update(first);
    for (let number = 1; number < megabytes; number += 1) hash.update(piece);
    const begun = await fetch(`${api.url}/v2/acme/shop/web/blobs/uploads/`, { method: 'POST', headers: bearer(token) });
    const place = `${api.url}${begun.headers.get('location')}?digest=sha256:${hash.digest('hex')}`;
    const status = await put(place, token, function* () {
      yield first;
      for (let number = 1; number < megabytes; number += 1) yield piece;
    });
    if (status !== 201) throw new Error(`The registry answered ${status}.`);
  }
}

async function put(place: string, token: string, pieces: () => Iterable<Buffer>): Promise<number> {
  const headers = { ...bearer(token), 'content-length': megabytes * 1_000_000 };
  const sent = request(place, { method: 'PUT', headers });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
  await pipeline(Readable.from(pieces(), { objectMode: false }), sent);
  return await answered;
}
