import { type Kysely, sql } from 'kysely';
import type { DeploymentKind, DeploymentState } from '../../domain/deployments/states.ts';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
import { blockedByPart } from '../deployments/deployments.ts';
import type { JsonValue } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import type { ServiceView } from '../services/services.ts';
import type { EnvironmentView } from './environments.ts';

/** A service in an environment, with what was deployed, is being deployed and was last observed of it. */
export interface OverviewRow {
  serviceId: string;
  serviceName: string;
  serviceSlug: string;
  suspended: boolean;
  suspendedAt: Date | null;
  suspendedBy: string | null;
  activeReleaseId: string | null;
  activeReleaseNumber: number | null;
  activeReleaseDigest: string | null;
  activeReleaseCommit: string | null;
  activeDeployedAt: Date | null;
  /** Of the live release. */
  file: FrozenConfig | null;
  /** Of the deployment that serves: `domain/deployments/answer-faults.ts`. */
  warnings: JsonValue[];
  last: { id: string; kind: DeploymentKind } | null;
  /** Absent unless it is the last one that came to a result. */
  failed: {
    id: string;
    blocker: string | null;
    message: string | null;
    finishedAt: string;
    releaseNumber: number;
  } | null;
  pending: {
    id: string;
    kind: DeploymentKind;
    state: DeploymentState;
    releaseNumber: number;
    blocker: string | null;
    message: string | null;
    stages: JsonValue[];
  } | null;
  /** Desired on the cluster, as in `protocol/workload.ts`. */
  processes: JsonValue | null;
  /** Last reported by the agent: `protocol/observed.ts`. */
  instances: JsonValue[] | null;
  error: string | null;
  hosts: { process: string; host: string }[];
  stagedIn: ServiceView['stagedIn'];
  /** Its settings are not those of what serves, and nothing is under way that makes them so. */
  drift: boolean;
}

/** Of the deployments that came before, so many are looked at for the last one that is live or failed. */
const recent = 20;

/**
 * The environment's services, those that its draft or a change that is held adds included, by name. One question, whose laterals each take a few
 * entries of an index: past deployments are not read.
 */
export async function overviewOf(kysely: Kysely<Tables>, environment: EnvironmentView): Promise<OverviewRow[]> {
  return (await overviewBy(environment).execute(kysely)).rows;
}

export function overviewBy({ id, organizationId, projectId, clusterId }: EnvironmentView) {
  const ofService = sql`deployment.organization_id = ${organizationId} and deployment.environment_id = ${id}
    and deployment.service_id = service.id`;
  return sql<OverviewRow>`
    with creation as (
      select item.service_id, json_build_object('changeSetId', draft.id, 'environmentId', draft.environment_id,
          'stagedBy', json_build_object('id', item.staged_by_id, 'name', item.staged_by_name)) as staged_in
      from draft join change_set_item item on item.change_set_id = draft.id and item.kind = 'service.create'
      where draft.environment_id = ${id} and draft.organization_id = ${organizationId}
    ), place as (
      select service_id, suspended, suspended_at, suspended_by, live_release_id, live_deployment_id, live_at,
        applied_digest, outgrown from environment_service
      where environment_id = ${id} and organization_id = ${organizationId}
    ), open as (
      select distinct on (service_id) id, service_id, kind, state, release_id, stages,
        coalesce(down.part, waits_for) as waits_for, coalesce(down.sentence, message) as message
      from deployment ${blockedByPart}
      where project_id = ${projectId} and environment_id = ${id} and organization_id = ${organizationId}
        and finished_at is null
      order by service_id, (state <> 'pending') desc, (deployment.waits_for is distinct from 'approval') desc, admission_order desc
    )
    select service.id as "serviceId", service.name as "serviceName", service.slug as "serviceSlug",
      coalesce(place.suspended, false) as suspended, place.suspended_at as "suspendedAt",
      place.suspended_by as "suspendedBy",
      live.id as "activeReleaseId", live.number as "activeReleaseNumber",
      live.content #>> '{image,digest}' as "activeReleaseDigest", live.git_commit_sha as "activeReleaseCommit",
      live.content -> 'file' as file, coalesce(serving.warnings, '[]') as warnings,
      place.live_at as "activeDeployedAt",
      (select json_build_object('id', deployment.id, 'kind', deployment.kind) from deployment
       where ${ofService} order by deployment.created_at desc, deployment.id desc limit 1) as last,
      case when result.state = 'failed' then json_build_object('id', result.id, 'blocker', result.waits_for,
        'message', result.message, 'finishedAt', result.finished_at, 'releaseNumber', attempted.number) end as failed,
      case when open.id is not null then json_build_object('id', open.id, 'kind', open.kind, 'state', open.state,
        'releaseNumber', wanted.number, 'blocker', open.waits_for, 'message', open.message, 'stages', open.stages)
        end as pending,
      slice.workload -> 'processes' as processes, observed.instances, observed.error,
      coalesce((select json_agg(json_build_object('process', host.process, 'host', host.host) order by host.process)
        from ingress_host host where host.cluster_id = ${clusterId} and host.key = key.text), '[]') as hosts,
      creation.staged_in as "stagedIn",
      (place.outgrown and live.id is not null) or place.applied_digest is distinct from live.content_digest and not exists (
        select from deployment coming join release of_it on of_it.id = coming.release_id
        where coming.project_id = ${projectId} and coming.environment_id = ${id} and coming.organization_id = ${organizationId}
          and coming.service_id = service.id and coming.finished_at is null
          and coming.waits_for is distinct from 'approval' and of_it.content_digest = place.applied_digest) as drift
    from (select service_id from place union select service_id from creation union select service_id from open) member
    join service on service.id = member.service_id and service.organization_id = ${organizationId}
      and service.deletion_id is null
    left join place on place.service_id = service.id
    left join creation on creation.service_id = service.id
    left join release live on live.id = place.live_release_id
    left join deployment serving on serving.id = place.live_deployment_id and serving.organization_id = ${organizationId}
    left join open on open.service_id = service.id
    left join release wanted on wanted.id = open.release_id
    left join lateral (
      select * from (
        select deployment.id, deployment.state, deployment.waits_for, deployment.message, deployment.finished_at,
               deployment.release_id
        from deployment where ${ofService} order by deployment.created_at desc, deployment.id desc limit ${recent}
      ) before where before.state in ('live', 'failed') limit 1
    ) result on true
    left join release attempted on attempted.id = result.release_id
    cross join lateral (select concat('env/', ${id}::uuid, '/', service.id) as text) key
    left join cluster_slice slice on slice.cluster_id = ${clusterId} and slice.key = key.text
      and slice.removed_at is null
    left join observed_slice observed on observed.cluster_id = ${clusterId} and observed.key = key.text
    order by lower(service.name), service.id`;
}
