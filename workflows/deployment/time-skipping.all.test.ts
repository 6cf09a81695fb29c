import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { admit } from '../../db/deployments/admission.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { approvalHours } from '../../domain/approvals/approvals.ts';
import { tester } from '../../test/actors/actors.ts';
import { expiringApprovals } from '../../test/actors/expiring-approval.ts';
import { skippingGround } from '../../test/actors/grounds/skipping-ground.ts';
import { until } from '../../test/ground/until.ts';
import type { HeldPlace } from '../../test/seeds/held-deployment.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const hour = 3_600_000;
const world = await skippingGround();
const { ground, skips, pass } = world;
const { begin, decisions, handle, row, scheduled } = expiringApprovals(world);

describe.skipIf(!skips)('30 days until an approval expires', () => {
  let organizationId: string;

  beforeAll(async () => {
    organizationId = await seedOrganization(ground.database);
  });

  const run = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => effect(ground.database, tester, work);
  const decide = ({ approvalId, projectId }: HeldPlace, decision: 'approved' | 'rejected') =>
    run((one) => decideApproval(one, ground.keyring, { id: approvalId, organizationId, projectId }, { decision }));
  const approve = (held: HeldPlace) => decide(held, 'approved');
  const reject = (held: HeldPlace) => decide(held, 'rejected');

  test('decided a moment before, the timer comes too late', async () => {
    const held = await begin(organizationId, true);
    await reject(held);
    // The message is still on its way when the timer fires.
    expect(await handle(held).result()).toBe('rejected');
    expect(await decisions(held)).toEqual(['rejected']);
  });

  test.for(['before it begins', 'while it waits'] as const)(
    'approved %s and waiting for its turn, it has no time to expire any more',
    async (when) => {
      const takeAndApprove = async (place: HeldPlace) => {
        await tenant(ground.database.kysely, organizationId)
          .updateTable('project')
          .set({ deploy_concurrency: 1 })
          .where('id', '=', place.projectId)
          .execute();
        await occupySlot(place);
        await approve(place);
      };
      const early = when === 'before it begins';
      const held = await begin(organizationId, true, early ? takeAndApprove : undefined);
      if (!early) {
        await until('it waits for its approval', async () => (await scheduled(held, 'claimDeployment')) === 1);
        await takeAndApprove(held);
      }
      await handle(held).signal('decided', { id: uuid(), body: {} });
      await until('it waits for its turn', async () => (await row(held)).waitsFor === 'slot');
      await pass(handle(held), 2 * approvalHours * hour);
      expect(await scheduled(held, 'expireDeployment')).toBe(0);
      expect(await scheduled(held, 'claimDeployment')).toBeLessThanOrEqual(2);
      await handle(held).terminate();
    },
  );

  /** A deployment of another service has the only slot of the project. */
  async function occupySlot(held: HeldPlace): Promise<void> {
    const { projectId } = held;
    const place = await seedPlace(ground.database, organizationId, { beside: held });
    const { id: releaseId } = await seedRelease(ground.database, place, 1);
    const id = uuid();
    const { environmentId, serviceId } = place;
    const one = { id, environmentId, serviceId, releaseId, kind: 'redeploy' as const, queue: true };
    const project = { organizationId, projectId };
    await run((asking) => admit(asking, project, { event: 'create', deployments: [one] }));
    await run((asking) => admit(asking, project, { event: 'claim', id }));
  }
});
