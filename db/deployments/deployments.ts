import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { StageTime } from '../../domain/deployments/states.ts';
import {
  type DeploymentKind,
  type DeploymentStage,
  type DeploymentState,
  endedOutside,
  type ShownBlocker,
} from '../../domain/deployments/states.ts';
import { downPart } from '../engine/processes/processes.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';
import type { Page } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ReleaseToDeploy } from './request-deployment.ts';

export interface DeploymentView {
  id: string;
  projectId: string;
  projectName: string;
  environmentId: string;
  environmentName: string;
  serviceId: string;
  serviceName: string;
  releaseId: string;
  releaseNumber: number;
  kind: DeploymentKind;
  state: DeploymentState;
  /** Its release serves in its environment now. */
  serving: boolean;
  /** A part that is down is in the way of all else that no person ends. */
  waitsFor: ShownBlocker | null;
  /** Why its actor cannot be told. */
  blocker: string | null;
  message: string | null;
  approvalId: string | null;
  changeSetId: string | null;
  changeSetMessage: string;
  requestedBy: string;
  requestedById: string;
  cancelRequestedAt: Date | null;
  downtimeAccepted: boolean;
  stages: StageTime[];
  failure: JsonObject | null;
  warnings: JsonValue[];
  rerunOf: string | null;
  /** Of a rerun: the stage from which. */
  fromStage: DeploymentStage | null;
  /** The newest of its own reruns. */
  rerunId: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

interface DeploymentFilter {
  /** Of these projects alone. */
  projectIds?: readonly string[] | undefined;
  projectId?: string | undefined;
  environmentId?: string | undefined;
  serviceId?: string | undefined;
  changeSetId?: string | undefined;
  releaseId?: string | undefined;
  state?: DeploymentState | undefined;
  /** True: those that are not final; false: those that are. */
  open?: boolean | undefined;
}

const columns = sql`
  deployment.id, deployment.project_id as "projectId", project.name as "projectName", deployment.environment_id as "environmentId",
  environment.name as "environmentName", deployment.service_id as "serviceId", service.name as "serviceName",
  deployment.release_id as "releaseId", release.number as "releaseNumber", deployment.kind, deployment.state,
  coalesce(place.live_deployment_id = deployment.id, false) as serving,
  coalesce(down.part, deployment.waits_for) as "waitsFor", case when down.part is null then deployment.blocker end as blocker,
  coalesce(down.sentence, deployment.message) as message, deployment.approval_id as "approvalId",
  deployment.change_set_id as "changeSetId", deployment.change_set_message as "changeSetMessage",
  deployment.requested_by_name as "requestedBy", deployment.requested_by_id as "requestedById",
  deployment.cancel_requested_at as "cancelRequestedAt", deployment.downtime_accepted as "downtimeAccepted",
  deployment.stages, deployment.failure, deployment.warnings, deployment.rerun_of as "rerunOf", deployment.from_stage as "fromStage",
  (select rerun.id from deployment rerun where rerun.rerun_of = deployment.id
    and rerun.organization_id = deployment.organization_id order by rerun.admission_order desc limit 1) as "rerunId",
  deployment.created_at as "createdAt",
  deployment.finished_at as "finishedAt"`;

/** SQL: joins the part that is down, as `down`, to an open deployment that waits for it. */
export const blockedByPart = sql`
  left join ${downPart} as down on deployment.finished_at is null
    and coalesce(deployment.waits_for <> all(${[...endedOutside]}::text[]), true)`;

const named = sql`
  join release on release.organization_id = deployment.organization_id and release.id = deployment.release_id
  join project on project.organization_id = deployment.organization_id and project.id = deployment.project_id
  join environment on environment.organization_id = deployment.organization_id
    and environment.id = deployment.environment_id
  join service on service.organization_id = deployment.organization_id and service.id = deployment.service_id
  left join environment_service place on place.organization_id = deployment.organization_id
    and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
  ${blockedByPart}`;

export async function findDeployment(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<DeploymentView | undefined> {
  const { rows } = await sql<DeploymentView>`
    select ${columns} from deployment ${named}
    where deployment.organization_id = ${organizationId} and deployment.id = ${id}
  `.execute(kysely);
  return rows[0];
}

/** Deployments of any organizations, by `<organization's id>/<id>`. */
export async function findDeploymentsOf(
  kysely: Kysely<Tables>,
  refs: readonly { organizationId: string; id: string }[],
): Promise<Map<string, DeploymentView>> {
  const organizations = refs.map(({ organizationId }) => organizationId);
  const ids = refs.map(({ id }) => id);
  const { rows } = await sql<DeploymentView & { key: string }>`
    select concat(deployment.organization_id, '/', deployment.id) as key, ${columns}
    from unnest(${organizations}::uuid[], ${ids}::uuid[]) as asked (organization_id, id)
    join deployment on deployment.organization_id = asked.organization_id and deployment.id = asked.id ${named}
  `.execute(kysely);
  return new Map(rows.map(({ key, ...deployment }) => [key, deployment]));
}

/** Newest first. The page is found by the index of the filter before names are looked up. */
export async function listDeployments(
  kysely: Kysely<Tables>,
  organizationId: string,
  filter: DeploymentFilter,
  { limit, after }: Page,
): Promise<DeploymentView[]> {
  const from = after === undefined ? [] : [sql`(created_at, id) < (${after.createdAt}, ${after.id}::uuid)`];
  const where = sql.join([sql`organization_id = ${organizationId}`, ...conditions(filter), ...from], sql` and `);
  const page = (more: RawBuilder<unknown>) =>
    sql`select * from deployment where ${where} and ${more} order by created_at desc, id desc limit ${limit}`;
  // A page of each project: in the order of all of them, those of a small project would be looked for among all.
  const { projectIds } = filter;
  const found =
    projectIds === undefined
      ? page(sql`true`)
      : sql`select page.* from unnest(${[...projectIds]}::uuid[]) as seen (project)
          cross join lateral (${page(sql`project_id = seen.project`)}) page order by created_at desc, id desc limit ${limit}`;
  const { rows } = await sql<DeploymentView>`
    select ${columns} from (${found}) as deployment ${named}
    order by deployment.created_at desc, deployment.id desc
  `.execute(kysely);
  return rows;
}

function conditions(filter: DeploymentFilter): RawBuilder<unknown>[] {
  const { projectId, environmentId, serviceId, changeSetId, releaseId, state, open } = filter;
  const is = (column: string, value: string | undefined) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`];
  return [
    ...is('project_id', projectId),
    ...is('environment_id', environmentId),
    ...is('service_id', serviceId),
    ...is('change_set_id', changeSetId),
    ...is('release_id', releaseId),
    ...is('state', state),
    ...(open === undefined ? [] : [open ? sql`finished_at is null` : sql`finished_at is not null`]),
  ];
}

export async function findReleaseToDeploy(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ReleaseToDeploy | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('release')
    .select(['id', 'project_id as projectId', 'environment_id as environmentId', 'service_id as serviceId'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...row, organizationId };
}

/** The release that serves at a place. */
export async function liveRelease(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: Omit<ReleaseToDeploy, 'id' | 'projectId'>,
): Promise<ReleaseToDeploy | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('environment_service')
    .select(['live_release_id as id', 'project_id as projectId'])
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  if (row === undefined || row.id === null) return undefined;
  return { id: row.id, projectId: row.projectId, organizationId, environmentId, serviceId };
}
