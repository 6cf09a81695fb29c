import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { pokeReaders } from '../../../db/engine/feed/poke-readers.ts';
import { createOrganization } from '../../../db/organizations/organizations.ts';
import type { Tables } from '../../../db/postgres/tables.ts';
import { seedPlace, seedRelease } from '../../../test/seeds/seed-place.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { startClients } from '../../engine/clients.ts';
import { openGround } from '../../ground/ground.ts';
import { asBench, bearer, seedTokens } from '../../ground/seed.ts';
import { startApi } from '../../ground/servers.ts';
import type { SeenByStreams } from './streams-program.ts';

const readers = 1_000;
/** Of one credential: the specification's limit. */
const each = 4;
const events = 20;
const quietSeconds = 5;

const rows = {
  p50: `streams: p50 of an event to ${readers} readers`,
  p99: `streams: p99 of an event to ${readers} readers`,
  reads: `streams: scans of the deployments a second for ${readers} readers, against 1`,
} as const;

/** It is the figures that are judged: the reference has one reader. */
export const streams: Benchmark = {
  name: 'streams',
  what: `${readers} readers on the stream of one deployment, against one: how soon an event reaches them, and what they ask of the database`,
  rows: [
    { name: rows.p50, unit: 'ms', better: 'less', mostBeside: () => 250 },
    { name: rows.p99, unit: 'ms', better: 'less', mostBeside: () => 250 },
    // The one read of a second scans the deployment and its reruns.
    { name: rows.reads, unit: 'requests/s', better: 'less', mostBeside: (reference) => 1.3 * reference },
  ],
  rounds: 2,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { database } = ground;
  opening.defer(pokeReaders(database));
  const { organizationId, tokens } = await asBench(database, async (running) => {
    const { id } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    return { organizationId: id, tokens: await seedTokens(running, id, readers / each) };
  });
  const place = await seedPlace(database, organizationId);
  const release = await seedRelease(database, place, 1);
  const { url } = opening.use(
    await startApi(
      ground,
      { path: '/api/v1/deployments', headers: bearer(tokens[0] ?? '') },
      { CONNECTIONS_PER_ADDRESS: '2000' },
    ),
  );
  const opened = opening.move();

  /** A deployment of its own, so that readers of the round before are not told. */
  async function round(count: number): Promise<Figures> {
    const id = uuid();
    const { projectId, environmentId, serviceId } = place;
    await sql`
      insert into deployment (id, organization_id, project_id, environment_id, service_id, release_id, kind,
        requested_by_kind, requested_by_id, requested_by_name)
      values (${id}, ${organizationId}, ${projectId}, ${environmentId}, ${serviceId}, ${release.id}, 'deploy', 'user', 'u', 'Ada')
    `.execute(database.kysely);
    const idle = await readsPerSecond(database.kysely);
    const headers = Array.from({ length: count }, (_, index) => bearer(tokens[index % tokens.length] ?? ''));
    await using clients = await startClients<SeenByStreams>('bench/subjects/history/streams-program.ts', {
      url: `${url}/api/v1/deployments/${id}/stream`,
      headers,
    });
    const reads = (await readsPerSecond(database.kysely)) - idle;
    const told = new Map<string, number>();
    for (let number = 1; number <= events; number += 1) {
      const message = `event ${number}`;
      await asBench(database, async ({ kysely, change }) => {
        await sql`update deployment set message = ${message} where organization_id = ${organizationId} and id = ${id}`.execute(
          kysely,
        );
        change({ organizationId, projectId, kind: 'deployment', id });
      });
      told.set(message, performance.timeOrigin + performance.now());
      await pause(400);
    }
    await pause(1_000);
    const seen = await clients.report();
    if (seen.failures.length > 0) throw new Error(`Streams failed: ${seen.failures.slice(0, 5).join('; ')}`);
    const took = [...told].flatMap(([message, at]) => (seen.told[message] ?? []).map((heard) => heard - at));
    if (took.length < count * events) throw new Error(`${count * events - took.length} events were not told.`);
    const sorted = took.toSorted((a, b) => a - b);
    const at = (share: number) => Math.max(0, sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
    return { [rows.p50]: at(0.5), [rows.p99]: at(0.99), [rows.reads]: reads };
  }
  return {
    reference: () => round(1),
    subject: () => round(readers),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** How often the table of deployments is read while nothing happens; without readers the API itself does, for what it watches. */
async function readsPerSecond(kysely: Kysely<Tables>): Promise<number> {
  const reads = async () => {
    const { rows: found } = await sql<{ reads: number }>`
      select (seq_scan + coalesce(idx_scan, 0))::int as reads from pg_stat_user_tables where relname = 'deployment'
    `.execute(kysely);
    return found[0]?.reads ?? 0;
  };
  // PostgreSQL counts a connection's reads up to a second later.
  await pause(2_000);
  const before = await reads();
  await pause(quietSeconds * 1_000);
  return ((await reads()) - before) / quietSeconds;
}
