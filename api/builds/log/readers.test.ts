import { expect, test } from 'vitest';
import { askAgent, lockBuild } from '../../../db/builds/claim.ts';
import { PeerAgent } from '../../../test/agents/peer-agent.ts';
import { ownApi } from '../../../test/api/own-api.ts';
import { seedSource } from '../../../test/builds/seed-source.ts';
import { readStream } from '../../../test/ground/read-stream.ts';
import { until } from '../../../test/ground/until.ts';
import { type Watched, watchStatements } from '../../../test/installation/watched-statements.ts';
import { specifiedClocks } from '../../engine/streams/clocks.ts';

const readers = 20;
const [batches, pieces, each] = [10, 4, 50];
const lines = batches * pieces * each;
let watched: Watched | undefined;

const { api, ours } = await ownApi({
  env: { STREAMS_PER_CREDENTIAL: '1000' },
  // Whatever arrives was told, and not read again after a while.
  clocks: { ...specifiedClocks, reread: 3_600_000 },
  onDatabase: (database) => {
    // The twin's, which comes later, is not watched.
    watched ??= watchStatements(database);
  },
});
const made = await ours.tokens.admin.post('/clusters', { name: 'Here' });
const { cluster, token } = made.body as { cluster: { id: string }; token: string };
const clusterId = cluster.id;
const agent = new PeerAgent(api.url);
await agent.join(token);

async function running(): Promise<string> {
  const place = await ours.place();
  const body = { environmentId: place.environmentId, sourceId: await seedSource(api.database, place) };
  const as = ours.tokens.deployer;
  const { id } = (await as.post(`/services/${place.serviceId}/builds`, body)).body as {
    id: string;
  };
  const row = api.database.kysely.updateTable('build').where('id', '=', id);
  await row.set({ cluster_id: clusterId }).execute();
  await api.effect(async (asking) => {
    const build = await lockBuild(asking, id);
    if (build !== undefined) await askAgent(asking, api.keyring, build);
  });
  await row.set({ state: 'running', revision: 1 }).execute();
  await agent.work(0);
  return id;
}

const textOf = (number: number) => `line ${number} ${'.'.repeat(number % 60)}`;
const batchOf = (batch: number) =>
  Array.from({ length: pieces }, (_, piece) => {
    const number = batch * pieces + piece;
    const text = Array.from({ length: each }, (_, line) => `${textOf(number * each + line + 1)}\n`).join('');
    return { number, stream: 'stdout' as const, data: Buffer.from(text).toString('base64') };
  });

test('twenty readers of two processes, early, late and behind a line, get each line once and in order; reads are shared', async () => {
  const twin = await api.twin({ ...specifiedClocks, reread: 3_600_000 });
  const id = await running();
  const follow = (after: number, at: { url: string } = api) =>
    readStream(at, `/api/v1/builds/${id}/logs/stream?after=${after}`, ours.tokens.viewer);
  const early = await Promise.all(Array.from({ length: readers - 5 }, () => follow(0)));
  const elsewhere = await follow(0, twin);
  const told = await watched?.during(async () => {
    // Every second batch comes twice, as of an agent that heard no answer.
    for (let batch = 0; batch < batches; batch += 1)
      for (let times = 0; times <= batch % 2; times += 1) await agent.output(id, batchOf(batch));
    await until('all have all', async () => early.every((one) => one.events('log').length === lines));
  });
  const later = [await follow(0), await follow(1), await follow(777), await follow(lines - 1)];
  const ended = { state: 'failed' as const, finished_at: new Date() };
  await api.rows.set('build', { id }, ended);
  await api.effect(async ({ change }) => {
    const { organizationId } = ours;
    change({ organizationId, kind: 'build', id });
  });
  const all = [...early, elsewhere, ...later];
  await until('all have ended', async () => all.every((one) => one.ended()));
  for (const [index, after] of [...early.map(() => 0), 0, 0, 1, 777, lines - 1].entries()) {
    const seen = all[index]?.events('log').map(({ seq, text }) => `${seq} ${text}`);
    const wanted = Array.from(
      { length: lines - after },
      (_, line) => `${after + line + 1} ${textOf(after + line + 1)}`,
    );
    expect(seen).toEqual(wanted);
  }
  const reads = (told ?? []).filter(({ sql }) =>
    /from "build_log_chunk"|from build join/.test(sql.replaceAll(/\s+/g, ' ')),
  );
  expect(reads.length).toBeGreaterThan(0);
  // A look and a read for each batch and each hint of it, whoever follows.
  expect(reads.length).toBeLessThan(batches * 2 * 4);
  await twin.close();
});
