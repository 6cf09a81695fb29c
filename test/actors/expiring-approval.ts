import { sql } from 'kysely';
import type { DeploymentActivities } from '../../activities/deployment.ts';
import { listDeploymentEvents } from '../../db/deployments/deployment-events.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { approvalHours } from '../../domain/approvals/approvals.ts';
import { type HeldPlace, holdDeployment } from '../seeds/held-deployment.ts';
import type { SkippingGround } from './grounds/skipping-ground.ts';

const hour = 3_600_000;

export interface ExpiringPlace extends HeldPlace {
  /** By the clock that skips, in milliseconds. */
  expires: number;
}

/** Deployments held by an approval that expires by the clock that skips. */
export function expiringApprovals({ ground: { database }, skipping, start }: SkippingGround) {
  type Place = Pick<HeldPlace, 'deploymentId' | 'organizationId'>;

  /** PostgreSQL's clock does not skip: what is overdue there is told by `passed`, however long the actor waits. */
  async function passes(held: HeldPlace, passed: boolean): Promise<void> {
    const at = passed ? sql<Date>`now() - interval '1 second'` : sql<Date>`now() + interval '1 day'`;
    const approval = tenant(database.kysely, held.organizationId).updateTable('approval').set({ expires_at: at });
    await approval.where('id', '=', held.approvalId).execute();
  }

  const handle = ({ deploymentId }: Place) => skipping().client.workflow.getHandle(actorId('deployment', deploymentId));

  return {
    passes,
    handle,
    /** `before`: before its actor begins. */
    async begin(
      organizationId: string,
      passed: boolean,
      before: (held: HeldPlace) => Promise<unknown> = async () => undefined,
    ): Promise<ExpiringPlace> {
      const held = await holdDeployment(database, organizationId);
      await passes(held, passed);
      await before(held);
      const expires = (await skipping().currentTimeMs()) + approvalHours * hour;
      const { deploymentId, projectId, digest } = held;
      const input = { deploymentId, projectId, organizationId, digest, cancelRequested: false, expiresAt: expires };
      await start({ kind: 'deployment', rowId: deploymentId, organizationId, state: 'pending', input });
      return { ...held, expires };
    },
    row: ({ deploymentId }: Place) =>
      database.kysely
        .selectFrom('deployment')
        .select(['state', 'waits_for as waitsFor'])
        .where('id', '=', deploymentId)
        .executeTakeFirstOrThrow(),
    /** How often an activity was asked of the worker so far. */
    async scheduled(held: Place, activity: keyof DeploymentActivities): Promise<number> {
      const { events } = await handle(held).fetchHistory();
      const names = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
      return names.filter((name) => name === activity).length;
    },
    async decisions({ deploymentId, organizationId }: Place) {
      const events = await listDeploymentEvents(database.kysely, { deploymentId, organizationId }, { limit: 50 });
      return events.filter(({ kind }) => kind === 'decided').map(({ decision }) => decision);
    },
  };
}
