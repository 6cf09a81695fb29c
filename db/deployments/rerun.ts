import { sql } from 'kysely';
import type { ApprovalDecision } from '../../domain/approvals/approvals.ts';
import type { DeploymentKind, DeploymentStage, DeploymentState, StageTime } from '../../domain/deployments/states.ts';
import type { ReleaseContent, ServiceSettings } from '../../domain/services/settings.ts';
import type { Effect } from '../engine/effect.ts';
import type { DeploymentRef } from './rollout.ts';

/** A deployment that is to be repeated, and its place as it is now. */
export interface Original {
  id: string;
  kind: DeploymentKind;
  state: DeploymentState;
  stages: StageTime[];
  order: number;
  clusterId: string | null;
  releaseId: string;
  number: number;
  digest: string;
  runsAs: number;
  content: ReleaseContent;
  /** Of its own approval. */
  decision: ApprovalDecision | null;
  held: boolean;
  service: string;
  environment: string;
  environmentClusterId: string | null;
  /** As they were applied; null: the service is not in the environment any more. */
  settings: ServiceSettings | null;
  appliedDigest: string | null;
  liveReleaseId: string | null;
  /** A deployment of the place that was requested later and is live or under way. */
  later: { number: number; live: boolean } | null;
  /** The kind of the first of its line, which is no rerun. */
  as: DeploymentKind;
  /** The approval with which it, or the last one of its line that had one, began. */
  approvalId: string | null;
}

export async function originalOf(
  { kysely }: Pick<Effect, 'kysely'>,
  { deploymentId, organizationId }: DeploymentRef,
  exceptHeldBy: string | null = null,
): Promise<Original> {
  const { rows } = await sql<Original>`
    with recursive line as (
      select id, kind, rerun_of, approval_id, 0 as depth from deployment
      where organization_id = ${organizationId} and id = ${deploymentId}
      union all
      select before.id, before.kind, before.rerun_of, before.approval_id, line.depth + 1
      from deployment before join line on before.id = line.rerun_of where before.organization_id = ${organizationId}
    )
    select deployment.id, deployment.kind, deployment.state, deployment.stages, deployment.cluster_id as "clusterId",
      deployment.admission_order::float8 as "order", release.id as "releaseId", release.number,
      release.content_digest as digest, release.runs_as as "runsAs", release.content,
      approval.decision, approval.id is not null as held, service.name as service, environment.name as environment,
      environment.cluster_id as "environmentClusterId", place.settings, place.applied_digest as "appliedDigest",
      place.live_release_id as "liveReleaseId",
      (select kind from line order by depth desc limit 1) as "as",
      (select approval_id from line where approval_id is not null order by depth limit 1) as "approvalId",
      (select json_build_object('number', its.number, 'live', later.finished_at is not null)
        from deployment later join release its on its.id = later.release_id
        where later.organization_id = deployment.organization_id and later.environment_id = deployment.environment_id
          and later.service_id = deployment.service_id and later.admission_order > deployment.admission_order
          and (${exceptHeldBy}::uuid is null or later.approval_id is distinct from ${exceptHeldBy}::uuid)
          and (later.finished_at is null or later.id = place.live_deployment_id)
        order by later.admission_order desc limit 1) as later
    from deployment
    join release on release.organization_id = deployment.organization_id and release.id = deployment.release_id
    join service on service.organization_id = deployment.organization_id and service.id = deployment.service_id
    join environment on environment.organization_id = deployment.organization_id
      and environment.id = deployment.environment_id
    left join approval on approval.organization_id = deployment.organization_id and approval.id = deployment.approval_id
    left join environment_service place on place.organization_id = deployment.organization_id
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId}
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Error(`The deployment ${deploymentId} has no row.`);
  return row;
}

/** A deployment that repeats an earlier one that did not go live. */
export interface Rerun {
  /** The deployment that it repeats. */
  of: string;
  fromStage?: DeploymentStage | undefined;
  /** The kind of the first of its line, which is no rerun: what that did to settings is done again. */
  as: DeploymentKind;
  /** In a sentence, for people. */
  said: string;
  /** The approval of the deployment that it repeats, where that still holds. */
  approval?: { id: string; by: string } | undefined;
}

export function rowOfRerun({ of, fromStage, said }: Rerun) {
  return { rerunOf: of, said, ...(fromStage === undefined ? {} : { fromStage }) };
}

/** For the audit log. */
export function detailsOfRerun({ of, fromStage, approval }: Rerun) {
  return {
    rerunOf: of,
    ...(fromStage === undefined ? {} : { fromStage }),
    ...(approval === undefined ? {} : { approval: approval.id, approvedBy: approval.by }),
  };
}
