import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { listBroken } from '../../db/attention/broken.ts';
import { brokenClusters } from '../../db/clusters/broken-clusters.ts';
import { requestClusterDeletion } from '../../db/clusters/cluster-deletion.ts';
import { type ClusterRef, createCluster } from '../../db/clusters/clusters.ts';
import { applySlice, desiredSince, removeSlice } from '../../db/workloads/cluster-slices.ts';
import { listObservedSlices } from '../../db/workloads/observed-slices.ts';
import type { Secrets } from '../../db/workloads/sealed-workload.ts';
import { workload } from '../../protocol/workload.ts';
import { linkedCluster } from '../../test/agents/linked-cluster.ts';
import { observedSlice, PeerAgent } from '../../test/agents/peer-agent.ts';
import { fileApi } from '../../test/api/own-api.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { keyringWhenOpen } from '../engine/server/keyring-when-open.ts';

let cluster: ClusterRef;
let agent: PeerAgent;

const api = await fileApi({ env: { INGRESS_DOMAIN: 'apps.example.com' } });
const organizationId = await seedOrganization(api.database);

const { running, token, told, events } = linkedCluster(() => ({ api, cluster }));
const keyring = (): Secrets => api.keyring;
const app = workload.parse({
  release: '1',
  image: { repository: 'registry.example.com/app', credential: { username: 'u', password: 'pass-word-1' } },
  processes: [{ name: 'web', kind: 'http', port: 8080 }],
  environment: { KEY: 'very-secret-value' },
});
const apply = (key: string, release = '1') => {
  const changed = { ...app, release };
  const slice = { key, name: key, workload: changed, ingressDomain: 'apps.example.com' };
  return running((effect) => applySlice(effect, keyring(), cluster, slice));
};

beforeEach(async () => {
  cluster = await running((effect) => createCluster(effect, { organizationId, name: 'Machine' }));
  agent = new PeerAgent(api.url);
});

describe('what shall run', () => {
  test('an agent that waits is woken, and gets what changed with its secrets, which rest nowhere in clear', async () => {
    await agent.join(await token());
    const waiting = agent.work(0, 20);
    const applied = await apply('shop');
    const { desired } = await waiting;
    expect(desired).toMatchObject({ revision: 1, removed: [], broken: [] });
    const [slice] = desired?.slices ?? [];
    expect(slice?.workload).toMatchObject({ environment: app.environment, image: app.image });
    expect(applied.routes).toEqual([
      { host: expect.stringMatching(/^shop-[a-z0-9]{8}\.apps\.example\.com$/), process: 'web' },
    ]);
    expect(slice?.workload.routes).toEqual(applied.routes);
    const stored = await sql<{ row: string }>`
      select row_to_json(s)::text || encode(sealed_secrets, 'escape') as row from cluster_slice s
      where cluster_id = ${cluster.id}`.execute(api.database.kysely);
    expect(stored.rows[0]?.row).not.toMatch(/very-secret-value|pass-word-1/);
    expect(await apply('shop')).toMatchObject({ change: 'unchanged', revision: 1 });
    expect(await apply('shop', '2')).toMatchObject({ change: 'changed', revision: 2, routes: applied.routes });
    expect((await agent.work(2)).desired).toBeUndefined();
  });

  test('while the keys are not there yet nothing is called broken: the agent asks again, and gets it', async () => {
    await apply('shop');
    const keys = keyringWhenOpen(api.database, join(dirname(api.registryDirectory), 'keys.json'));
    const asked = () => desiredSince(api.database.kysely, keys.keyring, cluster.id, 0);
    await expect(asked()).rejects.toThrow('The control plane is still starting');
    await keys.open();
    expect(await asked()).toMatchObject({ broken: [], slices: [{ key: 'shop' }] });
  });

  test('what is taken away goes with its host when the agent has nothing of it any more', async () => {
    await agent.join(await token());
    await apply('shop');
    await agent.report([observedSlice('shop', { appliedRevision: 1 })], { appliedRevision: 1 });
    await expect(running((effect) => requestClusterDeletion(effect, cluster))).rejects.toThrow('"shop"');
    await running((effect) => removeSlice(effect, cluster, 'shop'));
    expect((await agent.work(1)).desired).toMatchObject({ revision: 2, removed: ['shop'] });
    await agent.report([observedSlice('shop', { appliedRevision: 1 })], { appliedRevision: 2 });
    await expect(running((effect) => requestClusterDeletion(effect, cluster))).rejects.toThrow('"shop"');
    await agent.report([], { appliedRevision: 2, removed: ['shop'] });
    const hosts = await api.rows.all('ingress_host', { cluster_id: cluster.id });
    expect(hosts).toEqual([]);
    expect(await events()).toEqual(['workload.removed', 'workload.applied']);
    await running((effect) => requestClusterDeletion(effect, cluster));
  });

  test('a disk under pressure is an event and needs attention, once, until it is over', async () => {
    await agent.join(await token());
    const disk = { availableBytes: 1_000_000_000, capacityBytes: 100_000_000_000 };
    const attention = async () =>
      (await listBroken(api.database.kysely, organizationId, { sources: brokenClusters, readable: [] }, { limit: 100 }))
        .filter(({ kind, clusterId }) => kind === 'disk.pressure' && clusterId === cluster.id)
        .map(({ detail }) => detail);
    for (const pressure of [false, true, true]) await agent.report([], { disk: { ...disk, pressure } });
    expect(await events()).toEqual(['disk.pressure']);
    expect(await attention()).toEqual([expect.stringContaining('954 MB of 93 GB are free')]);
    await agent.report([], { disk: { ...disk, pressure: false } });
    // A report of an agent that says nothing of its disk changes nothing.
    await agent.report([]);
    expect(await events()).toEqual(['disk.relieved', 'disk.pressure']);
    expect(await attention()).toEqual([]);
  });

  test('reports count once, a full one forgets the rest, and trouble is told when it begins and when it ends', async () => {
    await agent.join(await token());
    await apply('a');
    const odd = observedSlice('a', { error: 'No\u0000 image \ud800.' });
    await agent.report([odd, observedSlice('b')]);
    const again = await agent.call('POST', 'report', { number: 1, full: true, appliedRevision: 9, slices: [] });
    expect(again.status).toBe(200);
    const keys = async () => (await listObservedSlices(api.database.kysely, cluster)).map(({ key }) => key);
    expect(await keys()).toEqual(['a', 'b']);
    await agent.report([odd]);
    await agent.report([observedSlice('a', { appliedRevision: 1 })], { full: true, appliedRevision: 1 });
    expect(await keys()).toEqual(['a']);
    expect(await told()).toEqual(['enrolled', 'connected', 'trouble', 'trouble']);
    expect(await events()).toEqual(['workload.applied', 'workload.recovered', 'workload.failed']);
    const loop = { process: 'web', instance: 'web-1', restarts: 3, seconds: 7, how: 'exited with code 1' };
    const error = `a/web is in a crash loop: ${loop.how}, 3 restarts in 7 s.`;
    await agent.report([observedSlice('a', { appliedRevision: 1, error, crashLoops: [loop] })], { appliedRevision: 1 });
    await agent.report([observedSlice('a', { appliedRevision: 1, error, crashLoops: [loop], traffic: [] })]);
    expect((await events()).toSorted()).toEqual([
      'instance.crash_loop',
      'workload.applied',
      'workload.failed',
      'workload.recovered',
    ]);
    expect((await api.rows.one('cluster_agent', { cluster_id: cluster.id })).told_trouble).toBe(error);
    for (const number of ['x', 3_000_000_000]) {
      const forged = await agent.call('POST', 'report', { number, full: false, appliedRevision: 0, slices: [] });
      expect(forged.status).toBe(422);
    }
  });

  test('a program with a fixed port is not for agents that would give it another one', async () => {
    const fixed = workload.parse({ ...app, processes: [{ ...app.processes[0], fixedPort: true }] });
    const slice = { key: 'fixed', name: 'fixed', workload: fixed, ingressDomain: 'apps.example.com' };
    await running((effect) => applySlice(effect, keyring(), cluster, slice));
    const got = async () => (await agent.work(0)).desired;
    await agent.join(await token(), { protocol: { major: 1, minor: 8 } });
    expect(await got()).toMatchObject({ slices: [], broken: [{ error: expect.stringContaining('fixed port') }] });
    await agent.hello({ protocol: { major: 1, minor: 9 } });
    expect(await got()).toMatchObject({ slices: [{ workload: { processes: [{ fixedPort: true }] } }], broken: [] });
  });

  test('a rollout is for agents that know of it; how far it is is kept with its slice', async () => {
    const network = { environment: 'e1', aliases: ['shop'] };
    const processes = [{ ...app.processes[0], internalPort: 20_001 }];
    const rolled = workload.parse({ ...app, processes, rollout: { id: 'd1', digest: 'sha256:1' }, network });
    const slice = { key: 'env/e1/s1', name: 'shop', workload: rolled, ingressDomain: 'apps.example.com' };
    await running((effect) => applySlice(effect, keyring(), cluster, slice));
    const got = async () => (await agent.work(0)).desired?.slices[0]?.workload;
    await agent.join(await token(), { protocol: { major: 1, minor: 1 } });
    const { rollout: _, network: __, ...known } = (await got()) ?? {};
    expect(await got()).toEqual(known);
    expect(known).toMatchObject({ release: '1', processes: [expect.not.objectContaining({ internalPort: 20_001 })] });
    await agent.hello({ protocol: { major: 1, minor: 2 } });
    expect(await got()).toMatchObject({ rollout: rolled.rollout, network, processes: [{ internalPort: 20_001 }] });

    const rollout = { id: 'd1', digest: 'sha256:1', phase: 'starting' as const, at: {} };
    await agent.report([observedSlice(slice.key, { rollout })]);
    const kept = async () => (await listObservedSlices(api.database.kysely, cluster)).map((one) => one.rollout);
    expect(await kept()).toEqual([rollout]);
    const failure = { process: 'web', lines: ['No port.'] };
    await agent.report([observedSlice(slice.key, { rollout: { ...rollout, phase: 'returned', failure } })]);
    expect(await kept()).toEqual([{ ...rollout, phase: 'returned', failure }]);
  });
});
