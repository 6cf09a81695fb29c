import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { beat, endProcess } from '../../db/engine/processes/processes.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { holdDeployment } from '../../test/seeds/held-deployment.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';

const { api, ours } = await ownApi();
const { database } = api;
const held = await holdDeployment(database, ours.organizationId, { ofChangeSet: true });
const clusterId = held.clusterId;
const at = { project_id: held.projectId, environment_id: held.environmentId };
const ids = {
  build: uuid(),
  'change-set': uuid(),
  deletion: uuid(),
  'agent-update': uuid(),
  held: held.changeSetId ?? '',
};
const rows: Partial<Record<ActorKind, Record<string, unknown>>> = {
  build: { ...at, service_id: held.serviceId, cluster_id: clusterId, state: 'running', message: 'As before.' },
  'change-set': { ...at, state: 'applying', source: 'api' },
  deletion: { state: 'purging' },
  'agent-update': { cluster_id: clusterId, state: 'downloading' },
};
for (const [kind, row] of Object.entries(rows)) {
  const id = ids[kind as keyof typeof ids];
  await tenantRow(database, descriptors[kind as ActorKind].table, ours.organizationId, { id, ...row });
}

const get = async (path: string, as = ours.tokens.admin) => (await as.get(path)).body;
const blockers = async () => ({
  build: (await get(`/builds/${ids.build}`)).blocker,
  changeSet: ((await get(`/change-sets/${ids['change-set']}`)).changeSet as { blocker: string }).blocker,
  update: (((await get(`/clusters/${clusterId}/agent`)).history as { message: string }[])[0] ?? { message: '' })
    .message,
  ...Object.fromEntries(
    await Promise.all(
      Object.values(ids).map(async (id) => {
        const { kind, blocker } = await get(`/workflows/${id}`);
        return [`${kind} ${id === ids.held ? 'held' : ''}`.trim(), blocker] as const;
      }),
    ),
  ),
});
const same = (sentence: unknown) => ({
  ...{ build: sentence, changeSet: sentence, update: sentence, deletion: sentence },
  ...{ 'change-set': sentence, 'agent-update': sentence, 'change-set held': '' },
});

test('each kind of what waits for a part says which one is down, and since when', async () => {
  const { kysely } = api.database;
  // Nobody has ever beaten, and nothing is known.
  expect(await blockers()).toEqual(same(''));
  const worker = { id: uuid(), kind: 'worker', version: '0.0.0' } as const;
  await beat(kysely, { ...worker, state: {} });
  expect(await blockers()).toEqual(same(''));

  const served = new Date('2026-01-02T03:04:05Z');
  await api.rows.set('process', { id: worker.id }, { served_at: served });
  const worded = expect.stringMatching(/^The worker has been down since 2026-01-02T03:04:05Z: .*`ballast doctor`\.$/);
  expect(await blockers()).toEqual(same(worded));
  // One that starts serves nothing yet, and one that is long silent is not forgotten.
  await beat(kysely, { id: uuid(), kind: 'worker', version: '0.0.0', state: { ready: false } });
  await api.sql`update process set seen_at = now() - interval '2 hours' where id = ${worker.id}`;
  await beat(kysely, { id: uuid(), kind: 'api', version: '0.0.0', state: {} });
  expect(await blockers()).toEqual(same(worded));

  await beat(kysely, { ...worker, state: {} });
  expect(await blockers()).toEqual(same(''));
  await endProcess(kysely, worker.id);
  expect(await blockers()).toEqual(same(expect.stringMatching(/^The worker has been down since 2/)));

  // Temporal is down when no worker that serves reaches it.
  const [one, other] = [uuid(), uuid()];
  const away = { temporalAwaySince: '2026-01-02T03:04:05.678Z' };
  await beat(kysely, { ...worker, id: one, state: away });
  expect(await blockers()).toEqual(
    same(expect.stringMatching(/^Temporal has not answered since 2026-01-02T03:04:05Z: /)),
  );
  await beat(kysely, { ...worker, id: other, state: {} });
  expect(await blockers()).toEqual(same(''));
});

test('an agent that is out of contact is what its running build waits for', async () => {
  await api.rows.set(
    'cluster_agent',
    { cluster_id: clusterId },
    { contact: 'lost', last_heartbeat_at: new Date('2026-01-02T03:04:05Z') },
  );
  expect((await get(`/builds/${ids.build}`)).blocker).toMatch(
    /^The agent of the cluster ".+" has been out of contact since 2026-01-02T03:04:05Z: the build goes on/,
  );
});

test('readers fetch again what they show when a part goes down or is back', async () => {
  const { kysely } = api.database;
  const stream = await readStream(api, '/api/v1/events/stream', ours.tokens.viewer);
  const resyncs = () => stream.events('resync').length;
  await api.rows.remove('process', {});
  await beat(kysely, { id: uuid(), kind: 'worker', version: '0.0.0', state: {} });
  await api.app.lookAtParts();
  const before = resyncs();
  await api.sql`update process set served_at = now() - interval '11 seconds'`;
  await api.app.lookAtParts();
  await until('they are told', async () => resyncs() === before + 1);
  // Once: nothing has changed since.
  await api.app.lookAtParts();
  await beat(kysely, { id: uuid(), kind: 'worker', version: '0.0.0', state: {} });
  await api.app.lookAtParts();
  await until('they are told that it is back', async () => resyncs() === before + 2);
  stream.stop();
});
