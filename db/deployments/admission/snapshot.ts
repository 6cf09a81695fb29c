import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Admitted, type Place, placeOf, type Snapshot } from '../../../domain/deployments/arbiter-types.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { AdmissionRequest } from './requests.ts';

export interface ProjectRef {
  organizationId: string;
  projectId: string;
}

/** The row of an open deployment, and what the writes need beside the arbiter's view of it. */
export interface OpenDeployment extends Admitted {
  environmentId: string;
  serviceId: string;
  revision: number;
}

export interface Loaded extends Snapshot {
  deployments: readonly OpenDeployment[];
}

type Where = Pick<OpenDeployment, 'environmentId' | 'serviceId'>;

interface Row {
  concurrency: number;
  /** Null in the only row of a project without open deployments. */
  id: string | null;
  environment_id: string;
  service_id: string;
  release_id: string;
  kind: Admitted['kind'];
  state: Admitted['state'];
  waits_for: Exclude<Admitted['blocker'], ''> | null;
  approval_id: string | null;
  change_set_id: string | null;
  cancel_requested: boolean;
  queue_order: number;
  revision: number;
  after_deployments: string[];
}

const columns = sql.raw(`id, environment_id, service_id, release_id, kind, state, waits_for, approval_id, change_set_id,
  cancel_requested_at is not null as cancel_requested, coalesce(queue_order, admission_order)::float8 as queue_order,
  revision, after_deployments`);

/**
 * The project as the arbiter sees it, under the lock of its admission. Claimed rows that the event may write are locked,
 * too: their actors write the stages that they reach without the lock of the project.
 */
export async function loadSnapshot(
  kysely: Kysely<Tables>,
  { organizationId, projectId }: ProjectRef,
  request: AdmissionRequest,
): Promise<Loaded> {
  const mayWrite = writable(request);
  const { rows } = await sql<Row>`
    with written as (
      select ${columns} from deployment
      where organization_id = ${organizationId} and project_id = ${projectId} and finished_at is null
        and state <> 'pending' and ${mayWrite} for no key update
    ), open as (
      select * from written union all
      select ${columns} from deployment
      where organization_id = ${organizationId} and project_id = ${projectId} and finished_at is null
        and (state = 'pending' or not ${mayWrite})
    )
    select project.deploy_concurrency as concurrency, open.* from project left join open on true
    where project.organization_id = ${organizationId} and project.id = ${projectId} order by open.queue_order
  `.execute(kysely);
  if (rows[0] === undefined) throw new Error(`The project ${projectId} has no row.`);
  const { concurrency } = rows[0];
  const deployments = rows.flatMap(openDeployment);
  const { suspended, live } = await servicesAt(kysely, organizationId, concerned(deployments, request));
  const building = await comingAfter(kysely, organizationId, deployments, request);
  return { concurrency, deployments, building, suspended, live };
}

/** The open builds whose deployments others wait for; nothing is asked where nobody does. */
async function comingAfter(
  kysely: Kysely<Tables>,
  organizationId: string,
  deployments: readonly OpenDeployment[],
  request: AdmissionRequest,
): Promise<Set<string>> {
  const fresh = request.event === 'create' ? request.deployments : [];
  const there = new Set([...deployments, ...fresh].map(({ id }) => id));
  const awaited = [...deployments, ...fresh].flatMap(({ after = [] }) => after.filter((id) => !there.has(id)));
  if (awaited.length === 0) return new Set();
  const rows = await tenant(kysely, organizationId)
    .selectFrom('build')
    .select('id')
    .where('id', 'in', awaited)
    .where('finished_at', 'is', null)
    .where('deployment_id', 'is', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Of claimed deployments an event writes its own, and a rollback past its gate the one that it asks to cancel. */
function writable(request: AdmissionRequest): RawBuilder<boolean> {
  switch (request.event) {
    case 'finish':
    case 'cancel':
      return sql`id = ${request.id}`;
    case 'claim':
    case 'unbuilt':
    case 'review':
      return sql`false`;
    case 'create':
      return request.deployments.some(({ kind }) => kind === 'rollback') ? sql`true` : sql`false`;
    case 'decide':
      return sql`true`;
  }
}

/** The services about which a rule asks: those that begin, and the one that becomes live. */
function concerned(deployments: readonly OpenDeployment[], request: AdmissionRequest): readonly Where[] {
  if (request.event === 'create') return request.deployments;
  if (request.event !== 'finish' || request.state !== 'live') return [];
  return deployments.filter(({ id }) => id === request.id);
}

function openDeployment(row: Row): OpenDeployment[] {
  if (row.id === null) return [];
  const { id, environment_id: environmentId, service_id: serviceId, kind, state, revision } = row;
  return [
    {
      ...{ id, environmentId, serviceId, kind, state, revision },
      place: placeOf(environmentId, serviceId),
      releaseId: row.release_id,
      order: row.queue_order,
      blocker: row.waits_for ?? '',
      ...(row.approval_id === null ? {} : { approvalId: row.approval_id }),
      ...(row.change_set_id === null ? {} : { changeSetId: row.change_set_id }),
      ...(row.after_deployments.length === 0 ? {} : { after: row.after_deployments }),
      cancelRequested: row.cancel_requested,
    },
  ];
}

interface Service {
  environment_id: string;
  service_id: string;
  suspended: boolean;
  live_release_id: string | null;
}

async function servicesAt(
  kysely: Kysely<Tables>,
  organizationId: string,
  places: readonly Where[],
): Promise<{ suspended: Set<Place>; live: Map<Place, string> }> {
  const [suspended, live] = [new Set<Place>(), new Map<Place, string>()];
  if (places.length === 0) return { suspended, live };
  const { rows } = await sql<Service>`
    select environment_id, service_id, suspended, live_release_id from environment_service
    where organization_id = ${organizationId} and (environment_id, service_id) in (
      select * from unnest(${places.map((one) => one.environmentId)}::uuid[], ${places.map((one) => one.serviceId)}::uuid[])
    )
  `.execute(kysely);
  for (const row of rows) {
    const place = placeOf(row.environment_id, row.service_id);
    if (row.suspended) suspended.add(place);
    if (row.live_release_id !== null) live.set(place, row.live_release_id);
  }
  return { suspended, live };
}
