import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { DeploymentBlocker, DeploymentEventKind, DeploymentStage } from '../../domain/deployments/states.ts';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import type { DeploymentRef } from './rollout.ts';

/** A moment of a deployment. */
export interface Happened {
  deploymentId: string;
  kind: DeploymentEventKind;
  /** One of an occasion: told again, it changes nothing. */
  occasion: string;
  stage?: DeploymentStage;
  blocker?: DeploymentBlocker | '';
  message?: string;
  decision?: string;
  decidedBy?: string;
}

export async function tellDeploymentEvents(
  { kysely }: Effect,
  { deploymentId, organizationId }: DeploymentRef,
  happened: readonly Omit<Happened, 'deploymentId'>[],
): Promise<void> {
  await insertDeploymentEvents(
    kysely,
    organizationId,
    happened.map((one) => ({ ...one, deploymentId })),
  );
}

/** In the order in which they are given. */
export async function insertDeploymentEvents(
  kysely: Kysely<Tables>,
  organizationId: string,
  happened: readonly Happened[],
): Promise<void> {
  if (happened.length === 0) return;
  const column = <T>(of: (one: Happened) => T): T[] => happened.map(of);
  await sql`
    insert into deployment_event (id, organization_id, deployment_id, kind, occasion, stage, blocker, message, decision,
      decided_by)
    select new.id, ${organizationId}, new.deployment_id, new.kind, new.occasion, new.stage, new.blocker, new.message,
      new.decision, new.decided_by
    from unnest(
      ${column(() => uuid())}::uuid[], ${column((one) => one.deploymentId)}::uuid[], ${column((one) => one.kind)}::text[],
      ${column((one) => one.occasion)}::text[], ${column((one) => one.stage ?? '')}::text[],
      ${column((one) => one.blocker ?? '')}::text[], ${column((one) => one.message ?? '')}::text[],
      ${column((one) => one.decision ?? '')}::text[], ${column((one) => one.decidedBy ?? '')}::text[]
    ) as new (id, deployment_id, kind, occasion, stage, blocker, message, decision, decided_by)
    on conflict (deployment_id, occasion) do nothing
  `.execute(kysely);
}

interface DeploymentEventView {
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
  { limit, after }: { limit: number; after?: { at: Date; id: string } | undefined },
): Promise<DeploymentEventView[]> {
  const from = after === undefined ? sql`true` : sql`(at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<DeploymentEventView>`
    select id, kind, stage, blocker, message, decision, decided_by as "decidedBy", at from deployment_event
    where organization_id = ${organizationId} and deployment_id = ${deploymentId} and ${from}
    order by at, id limit ${limit}
  `.execute(kysely);
  return rows;
}
