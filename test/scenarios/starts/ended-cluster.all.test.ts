import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Known } from '../../applications/instance-processes.ts';
import { patient } from '../../run/patience.ts';
import { EarlierInstallation } from '../../upgrades/earlier-installation.ts';
import { releasedVersion } from '../../upgrades/released.ts';

const commit = '65c7073';
const checkout = await releasedVersion(commit);

describe.runIf(checkout !== undefined)('a cluster whose workflow has ended is in contact again by itself', () => {
  let earlier: EarlierInstallation;
  let before: Known;

  beforeAll(async () => {
    earlier = await EarlierInstallation.start('ended-cluster', checkout ?? '');
    const allBegun = async () => (await earlier.known()).instances.every(({ startedAt }) => startedAt !== undefined);
    await earlier.installation.until('all instances are known to have begun', allBegun);
    before = await earlier.known();
  }, patient(900_000));
  afterAll(() => earlier?.remove());

  const actor = () => `cluster/${earlier.applications.clusterId}`;
  const row = async () => {
    const { kysely } = await earlier.installation.database();
    const found = kysely.selectFrom('cluster').select(['state', 'finished_at', 'local']);
    return await found.where('id', '=', earlier.applications.clusterId).executeTakeFirstOrThrow();
  };
  const workflow = async () => (await earlier.installation.inside()).temporal.client.workflow.getHandle(actor());

  /** The cluster is shown as ready, by its actor, and its applications run. */
  async function inContact(): Promise<void> {
    const { installation, applications } = earlier;
    const again = async () => {
      const { status } = await (await workflow()).describe().catch(() => ({ status: undefined }));
      return status?.name === 'RUNNING' && (await applications.cluster())?.status === 'ready';
    };
    await installation.until('the cluster is in contact again', again, 180);
    expect(await row()).toMatchObject({ state: 'ready', finished_at: null, local: true });
    expect(await earlier.known()).toEqual(before);
    // The agent is heard, and hears: another workload is applied.
    const name = `after-${Date.now()}`;
    await applications.apply({ name, kind: 'worker' });
    await applications.applied(name, 120);
    await applications.remove(name);
  }

  test(
    `failed by ${commit}, which told its agent to go`,
    async () => {
      await earlier.failCluster();
      const { installation } = earlier;
      await installation.stop();
      await installation.start();
      await installation.ready();
      await inContact();
      expect((await earlier.clusters()).map(({ id }) => id)).toEqual([earlier.applications.clusterId]);
    },
    patient(300_000),
  );

  test(
    "terminated with Temporal's tools",
    async () => {
      const ended = await workflow();
      const { runId } = await ended.describe();
      await ended.terminate();
      await inContact();
      expect((await ended.describe()).runId).not.toBe(runId);
    },
    patient(300_000),
  );

  test(
    'forgotten by Temporal',
    async () => {
      const { temporal } = await earlier.installation.inside();
      const { namespace, connection } = temporal;
      const { runId } = await (await workflow()).describe();
      await connection.workflowService.deleteWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: actor() },
      });
      await earlier.installation.until('Temporal has forgotten it', async () => {
        const described = await (await workflow()).describe().catch(() => undefined);
        return described?.runId !== runId;
      });
      await inContact();
    },
    patient(300_000),
  );
});
