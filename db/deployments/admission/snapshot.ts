import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  type Admission,
  type AdmissionEvent,
  type Admitted,
  type New,
  placeOf,
  type RolloutSlot,
  type Snapshot,
} from '../../../domain/deployments/arbiter-types.ts';
import type { DeploymentBlocker, DeploymentStage } from '../../../domain/deployments/states.ts';
import type { Author, Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';

/** A deployment to admit, with the columns of its row that no rule asks for. */
export interface NewDeployment extends Omit<New, 'place'> {
  environmentId: string;
  serviceId: string;
  changeSetMessage?: string;
  downtimeAccepted?: boolean;
  /** The author of the effect, unless somebody else asked for it. */
  requestedBy?: Pick<Author, 'kind' | 'id' | 'name'>;
  rerunOf?: string;
  fromStage?: DeploymentStage;
  /** Told with the request: a sentence. */
  said?: string;
}

/** The person who decided. */
export interface DecidedBy {
  id: string;
  name: string;
  selfApproved?: boolean;
  /** In place of somebody else, who would have had to approve it. */
  brokenGlass?: boolean;
  reason?: string | undefined;
}

type Event<Kind extends AdmissionEvent['event']> = Extract<AdmissionEvent, { event: Kind }>;

/** The arbiter's events, with what the rows need to say about them. */
export type AdmissionRequest =
  | { event: 'create'; deployments: readonly NewDeployment[] }
  | Event<'claim' | 'cancel' | 'review' | 'unbuilt'>
  | (Event<'decide'> & { by?: DecidedBy })
  /** `waitsFor`: the code of what failed. `message`: its sentence. `warning`: what visitors get instead of what is live. */
  | (Event<'finish'> & { waitsFor?: DeploymentBlocker; message?: string; warning?: string });

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
): Promise<{ suspended: Set<RolloutSlot>; live: Map<RolloutSlot, string> }> {
  const [suspended, live] = [new Set<RolloutSlot>(), new Map<RolloutSlot, string>()];
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

/** The names of the services whose deployments come before one, as far as these were open before the event. */
export type Preceding = (deploymentId: string) => readonly string[];

const none: Preceding = () => [];

/** Names for those that wait for others or end with them; nothing is asked where nobody does. */
export async function precedingNames(
  { kysely }: Effect,
  { organizationId }: ProjectRef,
  { deployments }: Loaded,
  { insert, update }: Admission,
  request: AdmissionRequest,
): Promise<Preceding> {
  const fresh = request.event === 'create' ? request.deployments : [];
  const services = new Map([...deployments, ...fresh].map(({ id, serviceId }) => [id, serviceId]));
  const before = new Map([...deployments, ...insert].map(({ id, after = [] }) => [id, after]));
  for (const { id, after } of update) if (after !== undefined) before.set(id, after);
  const concerned = [...insert, ...update].flatMap(({ id }) => before.get(id) ?? []);
  if (concerned.length === 0) return none;
  for (const [id, serviceId] of await built(kysely, organizationId, concerned, services)) services.set(id, serviceId);
  const ids = [...new Set(concerned.flatMap((id) => services.get(id) ?? []))];
  if (ids.length === 0) return none;
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => (before.get(id) ?? []).flatMap((one) => names.get(services.get(one) ?? '') ?? []).toSorted();
}

/** The services of deployments that are still to come: each has the id of its build. */
async function built(
  kysely: Kysely<Tables>,
  organizationId: string,
  concerned: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<[string, string][]> {
  const unknown = concerned.filter((id) => !known.has(id));
  if (unknown.length === 0) return [];
  const rows = await tenant(kysely, organizationId)
    .selectFrom('build')
    .select(['id', 'service_id as serviceId'])
    .where('id', 'in', unknown)
    .execute();
  return rows.map(({ id, serviceId }) => [id, serviceId]);
}
