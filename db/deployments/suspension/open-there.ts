import { sql } from 'kysely';
import type { DeploymentState } from '../../../domain/deployments/states.ts';
import { moment } from '../../../domain/history-steps/in-words.ts';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { SuspensionPlace } from './suspension-place.ts';

/** The fate of deployments of a service that is to be suspended: all end, or those that roll may end by themselves. */
export type EndOpen = 'cancel' | 'wait';

/** A deployment that is under way or waits at a place. */
export interface OpenThere {
  id: string;
  kind: string;
  state: DeploymentState;
  number: number;
  waitsFor: string | null;
  changeSetId: string | null;
  approvalId: string | null;
  /** Who asked for it, or for the approval that it waits for, and when. */
  by: string;
  at: Date;
}

/** The one that rolls comes first. */
export async function openThere(effect: Effect, place: SuspensionPlace): Promise<OpenThere[]> {
  const { organizationId, environmentId, serviceId } = place;
  return await tenant(effect.kysely, organizationId)
    .selectFrom('deployment')
    .innerJoin('release', 'release.id', 'deployment.release_id')
    .leftJoin('approval', 'approval.id', 'deployment.approval_id')
    .select(['deployment.id', 'deployment.kind', 'deployment.state', 'release.number'])
    .select(['deployment.waits_for as waitsFor', 'deployment.change_set_id as changeSetId'])
    .select('deployment.approval_id as approvalId')
    .select(sql<string>`coalesce(approval.requested_by_name, deployment.requested_by_name)`.as('by'))
    .select(sql<Date>`coalesce(approval.created_at, deployment.created_at)`.as('at'))
    .where('deployment.environment_id', '=', environmentId)
    .where('deployment.service_id', '=', serviceId)
    .where('deployment.finished_at', 'is', null)
    .orderBy(sql`deployment.state <> 'pending'`, 'desc')
    .orderBy('deployment.admission_order')
    .execute();
}

/** Refuses while changes of several services are decided on together, or nobody has said what becomes of what is open. */
export function refuseOpen(place: SuspensionPlace, open: readonly OpenThere[], ending: EndOpen | undefined): void {
  const { service, environment } = place;
  const held = open.find(({ waitsFor, changeSetId }) => waitsFor === 'approval' && changeSetId !== null);
  if (held !== undefined) {
    throw new Problem(
      'conflict',
      `Changes of "${service}" wait for an approval in "${environment}", requested ${whose(held)}: approve, reject or withdraw the approval ${held.approvalId} first.`,
    );
  }
  const [first] = open;
  if (first === undefined || ending !== undefined) return;
  const release = `Release #${first.number} of "${service}"`;
  const [what, choice] =
    first.waitsFor === 'approval'
      ? [
          `${release} waits for an approval in "${environment}"`,
          `decide the approval ${first.approvalId} first, or suspend the service with \`deployments\` as \`cancel\` or \`wait\`, which both cancel the deployment ${first.id}`,
        ]
      : [
          `${release} is being deployed in "${environment}" (${first.state})`,
          `suspend the service with \`deployments\` as \`cancel\`, which cancels the deployment ${first.id}, or as \`wait\`, which lets it end once it has begun`,
        ];
  throw new Problem(
    'conflict',
    `${what}, requested ${whose(first)}: ${choice} (\`--cancel\` or \`--wait\` of \`./ballast service suspend\`).`,
  );
}

function whose({ by, at }: OpenThere): string {
  return `by ${by} on ${moment(at.toISOString())}`;
}
