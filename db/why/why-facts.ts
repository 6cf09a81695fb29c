import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type ChangeAuthor, decidersAmong } from '../../domain/approvals/approvals.ts';
import type { DeploymentKind, DeploymentState, ShownBlocker, StageTime } from '../../domain/deployments/states.ts';
import type { DriftItem } from '../../domain/releases/drift.ts';
import { recordedAuthors } from '../approvals/authors.ts';
import { builtInVain, lastBuilt } from '../builds/build-notices.ts';
import { blockedByPart } from '../deployments/deployments.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { driftOf } from '../releases/drift.ts';

export interface DriftingRow {
  environmentId: string;
  environmentName: string;
  environmentSlug: string;
  serviceId: string;
  serviceName: string;
  serviceSlug: string;
  liveRelease: number;
  items: DriftItem[];
}

/** Services of an environment whose applied settings are not live while nothing is under way. */
export async function driftingServices(
  kysely: Kysely<Tables>,
  organizationId: string,
  { environmentId, serviceId }: { environmentId: string; serviceId?: string | undefined },
  limit: number,
): Promise<DriftingRow[]> {
  const { rows } = await sql<Omit<DriftingRow, 'items'>>`
    select environment.id as "environmentId", environment.name as "environmentName", environment.slug as "environmentSlug",
      service.id as "serviceId", service.name as "serviceName", service.slug as "serviceSlug", live.number as "liveRelease"
    from environment_service place
    join environment on environment.organization_id = ${organizationId} and environment.id = place.environment_id
    join service on service.organization_id = ${organizationId} and service.id = place.service_id
      and service.deletion_id is null
    join release live on live.organization_id = ${organizationId} and live.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}
      and (place.applied_digest is distinct from live.content_digest or place.outgrown)
      and not exists (select from deployment where deployment.organization_id = ${organizationId}
        and deployment.environment_id = place.environment_id and deployment.service_id = place.service_id
        and deployment.finished_at is null)
    order by lower(service.name), service.id limit ${limit}
  `.execute(kysely);
  const ids = rows.map((row) => row.serviceId);
  const drifts = await driftOf(kysely, { organizationId, environmentId }, ids);
  return rows.flatMap((row) => {
    const items = drifts.get(row.serviceId) ?? [];
    return items.length === 0 ? [] : [{ ...row, items }];
  });
}

export interface SuspendedRow {
  environmentId: string;
  environmentName: string;
  environmentSlug: string;
  production: boolean;
  serviceId: string;
  serviceName: string;
  serviceSlug: string;
  at: Date | null;
  by: string | null;
  liveRelease: number | null;
  resuming: boolean;
}

/** The suspended services of an environment, or the one that is named. */
export async function suspendedServices(
  kysely: Kysely<Tables>,
  organizationId: string,
  { environmentId, serviceId }: { environmentId: string; serviceId?: string | undefined },
  limit: number,
): Promise<SuspendedRow[]> {
  const { rows } = await sql<SuspendedRow>`
    select environment.id as "environmentId", environment.name as "environmentName",
      environment.slug as "environmentSlug", environment.production,
      service.id as "serviceId", service.name as "serviceName", service.slug as "serviceSlug",
      place.suspended_at as at, place.suspended_by as by, live.number as "liveRelease",
      exists (select from deployment where deployment.organization_id = ${organizationId}
        and deployment.environment_id = place.environment_id and deployment.service_id = place.service_id
        and deployment.finished_at is null) as resuming
    from environment_service place
    join environment on environment.organization_id = ${organizationId} and environment.id = place.environment_id
    join service on service.organization_id = ${organizationId} and service.id = place.service_id
      and service.deletion_id is null
    left join release live on live.organization_id = ${organizationId} and live.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId} and place.suspended
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}
    order by lower(service.name), service.id limit ${limit}
  `.execute(kysely);
  return rows;
}

export interface UnbuiltRow {
  environmentId: string;
  environmentName: string;
  serviceId: string;
  serviceName: string;
  buildId: string;
  buildNumber: number;
  failed: boolean;
  message: string | null;
  at: Date | null;
  attempts: number;
}

/** Services of an environment of which nothing was ever live because their build failed, while nothing is under way. */
export async function unbuiltServices(
  kysely: Kysely<Tables>,
  organizationId: string,
  { environmentId, serviceId }: { environmentId: string; serviceId?: string | undefined },
  limit: number,
): Promise<UnbuiltRow[]> {
  const { rows } = await sql<UnbuiltRow>`
    select environment.id as "environmentId", environment.name as "environmentName", service.id as "serviceId",
      service.name as "serviceName", built.id as "buildId", built.number as "buildNumber",
      built.state = 'failed' as failed, coalesce(built.release_error, built.message) as message,
      built.finished_at as at,
      (select count(*)::int from build where build.organization_id = ${organizationId}
        and build.environment_id = place.environment_id and build.service_id = place.service_id) as attempts
    from environment_service place
    join environment on environment.organization_id = ${organizationId} and environment.id = place.environment_id
    join service on service.organization_id = ${organizationId} and service.id = place.service_id
      and service.deletion_id is null
    ${lastBuilt(organizationId)}
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}
      and place.live_release_id is null and ${builtInVain}
      and not exists (select from build where build.organization_id = ${organizationId}
        and build.environment_id = place.environment_id and build.service_id = place.service_id
        and build.finished_at is null)
    order by lower(service.name), service.id limit ${limit}
  `.execute(kysely);
  return rows;
}

/** A deployment with all that explains why it is where it is. */
export interface WhyRow {
  id: string;
  projectName: string;
  environmentId: string;
  environmentName: string;
  serviceId: string;
  serviceName: string;
  releaseNumber: number;
  kind: DeploymentKind;
  state: DeploymentState;
  blocker: string | null;
  waitsFor: ShownBlocker | null;
  message: string | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  blockedAt: Date | null;
  stages: StageTime[];
  requestedBy: string;
  cancelRequestedAt: Date | null;
  failure: JsonObject | null;
  /** Of one that is live. */
  warnings: JsonValue[];
  approval: { id: string; decidedBy: string | null; decidedAt: string | null; expiresAt: string } | null;
  deciders: string[];
  cluster: { name: string; contact: string | null; heardAt: string | null } | null;
  ahead: { id: string; serviceName: string; releaseNumber: number; state: DeploymentState }[];
  slots: number;
  liveRelease: number | null;
  attempts: number;
}

/** Of a service in an environment, so many of the last deployments are looked at for one that came to a result. */
const recent = 20;
/** So many of those that are waited for are named. */
const mostAhead = 5;

/** The deployments to explain: the one of this id, or those of an environment that are open, or that failed and nothing came after. */
type WhyOf = { id: string } | { environmentId: string; serviceId?: string | undefined };

export async function whyFacts(kysely: Kysely<Tables>, organizationId: string, of: WhyOf): Promise<WhyRow[]> {
  const { rows } = await whyBy(organizationId, of).execute(kysely);
  return rows.map(({ admins, authors, ...row }) => {
    const among = new Set(decidersAmong({ authors, deciders: admins.map(({ id }) => id) }));
    return { ...row, deciders: admins.filter(({ id }) => among.has(id)).map(({ name }) => name) };
  });
}

/** As the database tells it: the names of those who may decide follow from these two. */
type ReadRow = Omit<WhyRow, 'deciders'> & { admins: { id: string; name: string }[]; authors: ChangeAuthor[] };

function whyBy(organizationId: string, of: WhyOf) {
  return sql<ReadRow>`
    with chosen as (${chosen(organizationId, of)})
    select deployment.id, project.name as "projectName", environment.id as "environmentId",
      environment.name as "environmentName", service.id as "serviceId", service.name as "serviceName",
      release.number as "releaseNumber", deployment.kind, deployment.state,
      case when down.part is null then deployment.blocker end as blocker, coalesce(down.part, deployment.waits_for) as "waitsFor",
      coalesce(down.sentence, deployment.message) as message, deployment.created_at as "createdAt",
      deployment.started_at as "startedAt", deployment.finished_at as "finishedAt", deployment.stages,
      deployment.requested_by_name as "requestedBy", deployment.cancel_requested_at as "cancelRequestedAt",
      deployment.failure, deployment.warnings, project.deploy_concurrency as slots, live.number as "liveRelease",
      case when deployment.finished_at is null and deployment.waits_for is not null and down.part is null then (
        select max(event.at) from deployment_event event where event.organization_id = ${organizationId}
          and event.deployment_id = deployment.id and event.kind in ('requested', 'approval-requested', 'blocked')) end as "blockedAt",
      case when approval.id is not null then json_build_object('id', approval.id, 'decidedBy', approval.decided_by_name,
        'decidedAt', approval.decided_at, 'expiresAt', approval.expires_at) end as approval,
      case when approval.id is not null and approval.decision is null then ${adminsOf(organizationId)} else '[]' end as admins,
      case when approval.id is not null and approval.decision is null then ${recordedAuthors(organizationId)} else '[]' end as authors,
      case when cluster.id is not null then json_build_object('name', cluster.name, 'contact', agent.contact,
        'heardAt', agent.last_heartbeat_at) end as cluster,
      case when deployment.finished_at is null then ${ahead(organizationId)} else '[]' end as ahead,
      (select count(*)::int from deployment same where same.organization_id = ${organizationId}
        and same.environment_id = deployment.environment_id and same.service_id = deployment.service_id
        and same.release_id = deployment.release_id and same.created_at <= deployment.created_at) as attempts
    from chosen
    join deployment on deployment.id = chosen.id and deployment.organization_id = ${organizationId}
    join release on release.organization_id = ${organizationId} and release.id = deployment.release_id
    join project on project.organization_id = ${organizationId} and project.id = deployment.project_id
    join environment on environment.organization_id = ${organizationId} and environment.id = deployment.environment_id
    join service on service.organization_id = ${organizationId} and service.id = deployment.service_id
    left join environment_service place on place.organization_id = ${organizationId}
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
    left join release live on live.organization_id = ${organizationId} and live.id = place.live_release_id
    left join approval on approval.organization_id = ${organizationId} and approval.id = deployment.approval_id
    left join cluster on cluster.organization_id = ${organizationId}
      and cluster.id = coalesce(deployment.cluster_id, environment.cluster_id)
    left join cluster_agent agent on agent.cluster_id = cluster.id ${blockedByPart}`;
}

function chosen(organizationId: string, of: WhyOf): RawBuilder<unknown> {
  if ('id' in of) return sql`select ${of.id}::uuid as id`;
  const service = of.serviceId === undefined ? sql`true` : sql`service_id = ${of.serviceId}`;
  return sql`
    select id from deployment
    where organization_id = ${organizationId} and environment_id = ${of.environmentId} and finished_at is null and ${service}
    union
    select result.id from environment_service place
    join service of_place on of_place.id = place.service_id and of_place.deletion_id is null
    cross join lateral (
      select before.id, before.state from (
        select id, state, created_at from deployment one
        where one.organization_id = ${organizationId} and one.environment_id = ${of.environmentId}
          and one.service_id = place.service_id
        order by one.created_at desc, one.id desc limit ${recent}
      ) before where before.state in ('live', 'failed') order by before.created_at desc, before.id desc limit 1
    ) result
    where place.organization_id = ${organizationId} and place.environment_id = ${of.environmentId}
      and result.state = 'failed' and ${of.serviceId === undefined ? sql`true` : sql`place.service_id = ${of.serviceId}`}`;
}

function adminsOf(organizationId: string): RawBuilder<unknown> {
  return sql`(
    select coalesce(json_agg(json_build_object('id', person.id, 'name', person.name) order by person.name), '[]')
    from membership join app_user person on person.id = membership.user_id and person.disabled_at is null
    where membership.organization_id = ${organizationId} and membership.role in ('admin', 'owner'))`;
}

/** Those that hold its place, the slots of its project, or that its change set waits for. */
function ahead(organizationId: string): RawBuilder<unknown> {
  return sql`(
    select coalesce(json_agg(json_build_object('id', other.id, 'serviceName', other_service.name,
      'releaseNumber', other_release.number, 'state', other.state) order by other.admission_order), '[]')
    from (
      select * from deployment one
      where one.organization_id = ${organizationId} and one.project_id = deployment.project_id
        and one.finished_at is null and one.id <> deployment.id
        and case deployment.waits_for
          when 'slot' then one.state <> 'pending'
          when 'earlier-deployment' then one.environment_id = deployment.environment_id
            and one.service_id = deployment.service_id
            and (one.state <> 'pending' or one.admission_order < deployment.admission_order)
          when 'dependency' then one.change_set_id = deployment.change_set_id
          else false end
      order by one.admission_order limit ${mostAhead}
    ) other
    join service other_service on other_service.id = other.service_id
      and other_service.organization_id = ${organizationId}
    join release other_release on other_release.id = other.release_id
      and other_release.organization_id = ${organizationId})`;
}
