import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openKeyring } from '../../../db/keys/keys.ts';
import { dataConverter } from '../../../temporal/connection/codec.ts';
import { payloadKeys } from '../../../temporal/connection/open.ts';
import { workflowBundle } from '../../../worker/host/bundle.ts';
import type { Known, Watch } from '../../applications/instance-processes.ts';
import { steadyTraffic } from '../../applications/steady-traffic.ts';
import { bundleCache } from '../../ground/bundle-cache.ts';
import { patient } from '../../run/patience.ts';
import { type Deletion, deleteOrganization, ended, purgeNow, restore } from '../../seeds/deletion.ts';
import { EarlierInstallation, type ShownCluster } from '../../upgrades/earlier-installation.ts';
import { releasedVersion } from '../../upgrades/released.ts';

const commit = '65c7073';
const checkout = await releasedVersion(commit);

describe.runIf(checkout !== undefined)(`an installation of ${commit} goes on under this version`, () => {
  let earlier: EarlierInstallation;
  let berlin: ShownCluster;
  /** A message to its workflow cannot be delivered. */
  let hamburg: ShownCluster;
  let blocked: string;
  let doomed: Deletion;
  let regretted: Deletion;
  let before: Known;
  let watch: Watch;
  let release: string;
  let traffic: Awaited<ReturnType<typeof steadyTraffic>>;

  /** Everything here is made by the earlier version. Then it stops, and this one starts. */
  beforeAll(async () => {
    earlier = await EarlierInstallation.start('upgrade', checkout ?? '');
    const { installation, applications, ingressPort } = earlier;
    const { hosts } = await applications.applied('shop');
    [berlin, hamburg] = [await created('Berlin'), await created('Hamburg')];
    blocked = await earlier.blockCluster(hamburg.id);
    doomed = await deleteOrganization(installation, await earlier.organization());
    regretted = await deleteOrganization(installation, await earlier.organization());
    before = await earlier.known();
    watch = earlier.watch(before);
    release = earlier.release();
    const url = `http://127.0.0.1:${ingressPort}`;
    traffic = await steadyTraffic({ url, host: hosts[0]?.host ?? '', path: '/', perSecond: 20 });
    await installation.stop();
    await installation.start();
    await installation.ready();
  }, patient(900_000));

  afterAll(async () => {
    await traffic?.end().catch(() => undefined);
    watch?.end();
    await earlier?.remove();
  });

  async function created(name: string): Promise<ShownCluster> {
    await earlier.installation.call('POST', '/api/v1/clusters', { as: earlier.admin, body: { name } });
    const found = (await earlier.clusters()).find((one) => one.name === name);
    if (found === undefined) throw new Error(`${name} was not created.`);
    return found;
  }

  const shown = async ({ id }: ShownCluster) => (await earlier.clusters()).find((one) => one.id === id);

  test('the start says nothing of trouble, and doctor finds none', async () => {
    const { installation, applications } = earlier;
    expect(installation.output).not.toMatch(/error|fail|ended with code/i);
    const ready = async () => (await applications.cluster())?.status === 'ready';
    await installation.until('the cluster is ready', ready, 120);
    // While the agent is being replaced by that of this version, doctor rightly finds none.
    await installation.until('doctor finds nothing broken', async () => {
      const { code, stdout } = await installation.run('doctor');
      return code === 0 && !stdout.includes('✗');
    });
  });

  test('the agent is the one of this version, and each instance is the process that it was', async () => {
    const { installation, applications, admin } = earlier;
    const another = async () => {
      const { body } = await installation.call('GET', `${applications.path}/agent`, { as: admin });
      const current = earlier.release();
      return current !== release && String(body.currentImage).endsWith(`-${current}`) && !body.updateAvailable;
    };
    await installation.until('another release runs', another, 120);
    expect(await earlier.known()).toEqual(before);
  });

  test('histories of workflows that were open replay, and only the one that was blocked is stuck', async () => {
    const { installation, applications, admin } = earlier;
    const { database, temporal } = await installation.inside();
    const keys = payloadKeys(await openKeyring(database, installation.settings.KEYS_FILE));
    const options = {
      workflowBundle: await workflowBundle({ cache: bundleCache }),
      dataConverter: dataConverter(keys),
    };
    const clusters = [applications.clusterId, berlin.id, hamburg.id].map((id) => `cluster/${id}`);
    for (const actor of [...clusters, doomed.actor, regretted.actor]) {
      const { raw, status } = await temporal.client.workflow.getHandle(actor).describe();
      expect([actor, status.name]).toEqual([actor, 'RUNNING']);
      // The run that the earlier version began.
      const first = temporal.client.workflow.getHandle(actor, raw.workflowExecutionInfo?.firstRunId ?? undefined);
      await Worker.runReplayHistory(options, await first.fetchHistory(), actor);
    }
    const stuck = await installation.call('GET', '/api/v1/workflows?stuck=true', { as: admin });
    expect(stuck.body.items).toMatchObject([{ id: hamburg.id, name: 'Hamburg', stuck: true }]);
    expect((await installation.readiness())?.poisoned).toMatchObject([{ actorId: blocked }]);
  });

  test('what was under way is finished: a purge, a restoration, a cluster that nobody has joined', async () => {
    const { installation, admin } = earlier;
    await purgeNow(installation, doomed);
    await restore(installation, regretted);
    expect((await ended(installation, doomed)).state).toBe('purged');
    expect((await ended(installation, regretted)).state).toBe('restored');
    expect((await shown(berlin))?.status).toBe('awaiting-agent');
    await installation.call('DELETE', `/api/v1/clusters/${berlin.id}`, { as: admin });
    await installation.until('Berlin is gone', async () => (await shown(berlin)) === undefined);
  });

  test('the blocked cluster can be deleted, and nothing is left to be told', async () => {
    const { installation, admin } = earlier;
    expect((await shown(hamburg))?.status).toBe('awaiting-agent');
    await installation.call('DELETE', `/api/v1/clusters/${hamburg.id}`, { as: admin });
    await installation.until('Hamburg is gone', async () => (await shown(hamburg)) === undefined, 180);
    const { kysely } = await installation.database();
    const outbox = kysely.selectFrom('outbox').select(['actor_id', 'last_error']);
    await installation.until('nothing waits', async () => (await outbox.execute()).length === 0, 120);
    expect((await installation.readiness())?.poisoned).toEqual([]);
    const stuck = await installation.call('GET', '/api/v1/workflows?stuck=true', { as: admin });
    expect(stuck.body.items).toEqual([]);
  });

  test('nobody who used the application has noticed, and it can be changed as before', async () => {
    const { applications } = earlier;
    expect(await earlier.known()).toEqual(before);
    const { looks, changes } = watch.end();
    expect(changes).toEqual([]);
    expect(looks).toBeGreaterThan(100);
    await applications.apply({ name: 'shop', version: '2', replicas: 3 });
    await applications.applied('shop');
    const seen = await traffic.end();
    expect(seen.failures).toEqual([]);
    expect(seen.versions).toEqual(['1', '2']);
  });
});
