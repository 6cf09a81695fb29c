import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DeploymentActivities } from '../../activities/deployment.ts';
import { decideApproval } from '../../db/approvals/decide.ts';
import { admit } from '../../db/deployments/admission.ts';
import { listDeploymentEvents } from '../../db/deployments/list-events.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { approvalHours } from '../../domain/approvals/approvals.ts';
import { tester } from '../../test/actors/actors.ts';
import { skippingGround } from '../../test/actors/skipping-ground.ts';
import { until } from '../../test/ground/until.ts';
import { type HeldPlace, holdDeployment } from '../../test/seeds/held-deployment.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const hour = 3_600_000;
const { ground, skips, skipping, start, pass } = await skippingGround();

describe.skipIf(!skips)('30 days until an approval expires', () => {
  let organizationId: string;

  beforeAll(async () => {
    organizationId = await seedOrganization(ground.database);
    await skipping().sleep((await nextSpring()) - (await skipping().currentTimeMs()));
  });

  const run = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => effect(ground.database, tester, work);

  /** PostgreSQL's clock does not skip: what is overdue there is told by `passed`, however long the actor waits. */
  async function begin({
    passed,
    before = async () => undefined,
  }: {
    passed: boolean;
    before?: (held: HeldPlace) => Promise<unknown>;
  }): Promise<HeldPlace & { expires: number }> {
    const held = await holdDeployment(ground.database, organizationId);
    await passes(held, passed);
    await before(held);
    const expires = (await skipping().currentTimeMs()) + approvalHours * hour;
    const { deploymentId, projectId, digest } = held;
    const input = { deploymentId, projectId, organizationId, digest, cancelRequested: false, expiresAt: expires };
    await start({ kind: 'deployment', rowId: deploymentId, organizationId, state: 'pending', input });
    return { ...held, expires };
  }
  const passes = ({ approvalId }: HeldPlace, passed: boolean) =>
    tenant(ground.database.kysely, organizationId)
      .updateTable('approval')
      .set({ expires_at: passed ? sql<Date>`now() - interval '1 second'` : sql<Date>`now() + interval '1 day'` })
      .where('id', '=', approvalId)
      .execute();
  const decide = ({ approvalId, projectId }: HeldPlace, decision: 'approved' | 'rejected') =>
    run((one) => decideApproval(one, ground.keyring, { id: approvalId, organizationId, projectId }, { decision }));
  const approve = (held: HeldPlace) => decide(held, 'approved');
  const reject = (held: HeldPlace) => decide(held, 'rejected');
  const row = ({ deploymentId }: HeldPlace) =>
    ground.database.kysely
      .selectFrom('deployment')
      .select(['state', 'waits_for as waitsFor'])
      .where('id', '=', deploymentId)
      .executeTakeFirstOrThrow();
  const handle = ({ deploymentId }: HeldPlace) =>
    skipping().client.workflow.getHandle(actorId('deployment', deploymentId));
  const scheduled = async (held: HeldPlace, activity: keyof DeploymentActivities) => {
    const { events } = await handle(held).fetchHistory();
    const names = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    return names.filter((name) => name === activity).length;
  };
  const claims = (held: HeldPlace) => scheduled(held, 'claimDeployment');
  const decidedEvents = async ({ deploymentId }: HeldPlace) =>
    (await listDeploymentEvents(ground.database.kysely, { deploymentId, organizationId }, { limit: 50 })).filter(
      ({ kind }) => kind === 'decided',
    );

  test('they are 720 hours, although summer time begins meanwhile', async () => {
    const held = await begin({ passed: true });
    await pass(handle(held), (approvalHours - 2) * hour);
    expect(await row(held)).toEqual({ state: 'pending', waitsFor: 'approval' });
    expect(await handle(held).result()).toBe('expired');
    const { startTime, closeTime } = await handle(held).describe();
    expect(Math.round(((closeTime?.getTime() ?? 0) - startTime.getTime()) / hour)).toBe(720);
    // So that the clocks of people did go forward: the same hours end an hour later by them.
    expect(clockOf(held.expires)).toBe((clockOf(startTime.getTime()) + 1) % 24);
    expect(await decidedEvents(held)).toMatchObject([{ decision: 'expired' }]);
  });

  test('decided a moment before, the timer comes too late', async () => {
    const held = await begin({ passed: true });
    await reject(held);
    // The message is still on its way when the timer fires.
    expect(await handle(held).result()).toBe('rejected');
    expect(await decidedEvents(held)).toMatchObject([{ decision: 'rejected' }]);
  });

  test('a database whose clock is behind is asked again each minute, and not as fast as it answers', async () => {
    const held = await begin({ passed: false });
    await pass(handle(held), approvalHours * hour + 10 * 60_000);
    expect(await row(held)).toEqual({ state: 'pending', waitsFor: 'approval' });
    const asked = await scheduled(held, 'expireDeployment');
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThanOrEqual(11);
    await passes(held, true);
    expect(await handle(held).result()).toBe('expired');
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
      const held = await begin({ passed: true, ...(early && { before: takeAndApprove }) });
      if (!early) {
        await until('it waits for its approval', async () => (await claims(held)) === 1);
        await takeAndApprove(held);
      }
      await handle(held).signal('decided', { id: uuid(), body: {} });
      await until('it waits for its turn', async () => (await row(held)).waitsFor === 'slot');
      await pass(handle(held), 2 * approvalHours * hour);
      expect(await scheduled(held, 'expireDeployment')).toBe(0);
      expect(await claims(held)).toBeLessThanOrEqual(2);
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

const clockOf = (at: number) =>
  Number(new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: 'numeric', hour12: false }).format(at));

/** Noon of a day in March, some days before the clocks of Europe go forward. */
async function nextSpring(): Promise<number> {
  const year = new Date(await skipping().currentTimeMs()).getUTCFullYear();
  return Date.UTC(year + 1, 2, 20, 12);
}
