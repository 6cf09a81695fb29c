import { type Kysely, sql } from 'kysely';
import type { DeploymentEventKind } from '../../domain/deployments/states.ts';
import type { Tables } from '../postgres/tables.ts';
import type { DeploymentRef } from './rollout.ts';

export interface DeploymentEventView {
  id: string;
  kind: DeploymentEventKind;
  stage: string;
  blocker: string;
  message: string;
  decision: string;
  decidedBy: string;
  at: Date;
}

/** Oldest first. */
export async function listDeploymentEvents(
  kysely: Kysely<Tables>,
  { deploymentId, organizationId }: DeploymentRef,
  { limit, after }: { limit: number; after?: { at: string; id: string } | undefined },
): Promise<DeploymentEventView[]> {
  const from = after === undefined ? sql`true` : sql`(at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<DeploymentEventView>`
    select id, kind, stage, blocker, message, decision, decided_by as "decidedBy", at from deployment_event
    where organization_id = ${organizationId} and deployment_id = ${deploymentId} and ${from}
    order by at, id limit ${limit}
  `.execute(kysely);
  return rows;
}
