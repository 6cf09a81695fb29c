import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { BuildKind, BuildState, BuildStep, BuildTrigger } from '../../domain/builds/states.ts';
import type { ToldConfig } from '../../domain/repository-config/told-config.ts';
import { downSentence } from '../engine/processes/processes.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Page } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { buildsInVain } from './build-notices.ts';
import { awaitsApproval } from './variables/awaiting-approval.ts';

export interface BuildView {
  id: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  environmentName: string;
  serviceId: string;
  serviceName: string;
  clusterId: string;
  number: number;
  kind: BuildKind;
  trigger: BuildTrigger;
  state: BuildState;
  message: string | null;
  /** What changes, in the words of the person who requested it. */
  title: string;
  /** Why its actor cannot be told. */
  blocker: string | null;
  /** The part that is down, or the agent that is not in contact, while it waits for that: a sentence. */
  waitsForPart: string | null;
  buildSourceId: string | null;
  gitUrl: string;
  gitRef: string;
  gitConnectionId: string | null;
  repository: string;
  branch: string;
  commitSha: string;
  commitMessage: string;
  deploys: boolean;
  downtimeAccepted: boolean;
  builder: JsonObject | null;
  repositoryConfig: ToldConfig | null;
  steps: BuildStep[];
  cachedSteps: number;
  totalSteps: number;
  imageRef: string | null;
  releaseId: string | null;
  deploymentId: string | null;
  releaseError: string | null;
  releaseErrorAt: Date | null;
  /** Its commit was the head of the connected branch, or somebody who may decide approved it. */
  connected: boolean;
  approvedById: string | null;
  approvedByName: string | null;
  awaitsApproval: boolean;
  retryOf: string | null;
  requestedBy: string;
  requestedById: string;
  actorUserId: string | null;
  cancelRequestedAt: Date | null;
  logLines: number;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const columns = sql`
  build.id, build.organization_id as "organizationId", build.project_id as "projectId", build.environment_id as "environmentId",
  environment.name as "environmentName", build.service_id as "serviceId", service.name as "serviceName",
  build.cluster_id as "clusterId", build.number, build.kind, build.trigger, build.state, build.message, build.blocker, build.title,
  build.build_source_id as "buildSourceId", build.git_url as "gitUrl", build.git_ref as "gitRef",
  build.git_connection_id as "gitConnectionId", build.repository, build.branch, build.commit_sha as "commitSha",
  build.commit_message as "commitMessage", build.deploys, build.downtime_accepted as "downtimeAccepted", build.builder,
  build.repository_config as "repositoryConfig", build.steps, build.cached_steps as "cachedSteps",
  build.total_steps as "totalSteps",
  concat(organization.slug, '/', project.slug, '/', service.slug, '@', build.image ->> 'digest') as "imageRef",
  build.image is not null as built, build.release_id as "releaseId", build.deployment_id as "deploymentId",
  build.release_error as "releaseError", build.release_error_at as "releaseErrorAt", build.connected,
  build.approved_by_id as "approvedById", build.approved_by_name as "approvedByName",
  ${awaitsApproval} as "awaitsApproval", build.retry_of as "retryOf",
  build.requested_by_name as "requestedBy",
  build.requested_by_id as "requestedById", build.actor_user_id as "actorUserId",
  build.cancel_requested_at as "cancelRequestedAt", build.log_lines::float8 as "logLines", build.created_at as "createdAt",
  build.started_at as "startedAt", build.finished_at as "finishedAt",
  case when build.finished_at is null and not exists (
      select from change_set where change_set.id = build.change_set_id
        and change_set.organization_id = build.organization_id and change_set.state = 'held') and not ${awaitsApproval}
    then coalesce(${downSentence}, case when build.state = 'running' and agent.contact = 'lost'
      then concat('The agent of the cluster "', cluster.name, '" has been out of contact since ',
        to_char(agent.last_heartbeat_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ': the build goes on when it is back.') end)
    end as "waitsForPart"`;

const named = sql`
  join organization on organization.id = build.organization_id
  join project on project.organization_id = build.organization_id and project.id = build.project_id
  join environment on environment.organization_id = build.organization_id and environment.id = build.environment_id
  join service on service.organization_id = build.organization_id and service.id = build.service_id
  left join cluster on cluster.organization_id = build.organization_id and cluster.id = build.cluster_id
  left join cluster_agent agent on agent.cluster_id = cluster.id`;

type Row = BuildView & { built: boolean };

function viewOf({ built, imageRef, ...row }: Row): BuildView {
  return { ...row, imageRef: built ? imageRef : null };
}

/** A build of a service that was deleted is not found until that is restored. */
export async function findBuild(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<BuildView | undefined> {
  const { rows } = await sql<Row>`
    select ${columns} from build ${named}
    where build.organization_id = ${organizationId} and build.id = ${id}
      and service.deletion_id is null and environment.deletion_id is null and project.deletion_id is null
  `.execute(kysely);
  return rows[0] && viewOf(rows[0]);
}

export interface BuildFilter {
  projectIds?: readonly string[] | undefined;
  projectId?: string | undefined;
  environmentId?: string | undefined;
  serviceId?: string | undefined;
  status?: BuildState | undefined;
  /** Waits or runs. */
  open?: boolean | undefined;
  /** The newest of its service and environment that came to a result, and brought nothing live. */
  unresolved?: boolean | undefined;
}

/** Newest first. */
export async function listBuilds(
  kysely: Kysely<Tables>,
  organizationId: string,
  { projectIds, projectId, environmentId, serviceId, status, open, unresolved }: BuildFilter,
  { limit, after }: Page,
): Promise<BuildView[]> {
  const where: RawBuilder<unknown>[] = [
    sql`build.organization_id = ${organizationId}`,
    sql`service.deletion_id is null and environment.deletion_id is null and project.deletion_id is null`,
    ...(projectIds === undefined ? [] : [sql`build.project_id = any(${[...projectIds]}::uuid[])`]),
    ...(projectId === undefined ? [] : [sql`build.project_id = ${projectId}`]),
    ...(environmentId === undefined ? [] : [sql`build.environment_id = ${environmentId}`]),
    ...(serviceId === undefined ? [] : [sql`build.service_id = ${serviceId}`]),
    ...(status === undefined ? [] : [sql`build.state = ${status}`]),
    ...(open === undefined ? [] : [open ? sql`build.finished_at is null` : sql`build.finished_at is not null`]),
    ...(unresolved === undefined
      ? []
      : [
          sql`build.id ${unresolved ? sql`in` : sql`not in`} (${buildsInVain(organizationId, { environmentId, serviceId })})`,
        ]),
    ...(after === undefined ? [] : [sql`(build.created_at, build.id) < (${after.createdAt}, ${after.id}::uuid)`]),
  ];
  const { rows } = await sql<Row>`
    select ${columns} from build ${named} where ${sql.join(where, sql` and `)}
    order by build.created_at desc, build.id desc limit ${limit}
  `.execute(kysely);
  return rows.map(viewOf);
}
