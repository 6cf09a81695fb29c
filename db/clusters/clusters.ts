import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { AuditAction } from '../../domain/audit-actions.ts';
import type { ClusterState } from '../../domain/clusters/clusters.ts';
import { freeSlug, slugOf } from '../../domain/slug.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import { pageOf, type SoughtPage } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { type Finder, foundColumns, hasWords } from '../search/finder.ts';

/** Names a cluster and whose it is. */
export interface ClusterRef {
  id: string;
  organizationId: string;
}

interface ClusterAgentView {
  contact: 'never' | 'connected' | 'lost';
  enrolledAt: Date | null;
  incarnation: number;
  protocolMinor: number;
  version: string | null;
  image: string | null;
  /** `facts` of protocol/agent.ts, as the agent told them last. */
  facts: JsonObject | null;
  connectedAt: Date | null;
  lastHeartbeatAt: Date | null;
  appliedRevision: number;
  /** Why it cannot bring the machine to what shall be. */
  error: string | null;
}

export interface ClusterView extends ClusterRef {
  name: string;
  slug: string;
  region: string;
  local: boolean;
  schedulable: boolean;
  state: ClusterState;
  /** Why it is in its state, in a sentence. */
  message: string | null;
  desiredRevision: number;
  createdAt: Date;
  deletionRequestedAt: Date | null;
  /** How many workloads shall run there. */
  workloads: number;
  agent: ClusterAgentView;
}

interface NewCluster {
  organizationId: string;
  name: string;
  region?: string | undefined;
  /** The one on the machine of the installation itself. */
  local?: boolean | undefined;
}

/** Creates a cluster that waits for its agent. Its slug follows from its name. */
export async function createCluster(effect: Effect, cluster: NewCluster): Promise<ClusterView> {
  const { organizationId, name, region = '', local = false } = cluster;
  const id = uuid();
  for (let inserted = false; !inserted; ) {
    const slug = freeSlug(slugOf(name) || 'cluster', await slugs(effect, organizationId));
    const row = await effect.kysely
      .insertInto('cluster')
      .values({ id, organization_id: organizationId, name, slug, region, local })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'slug']).where('finished_at', 'is', null).doNothing(),
      )
      .returning('id')
      .executeTakeFirst();
    inserted = row !== undefined;
  }
  await effect.kysely.insertInto('cluster_agent').values({ cluster_id: id, organization_id: organizationId }).execute();
  effect.tell({ start: 'cluster', id, organizationId });
  recordCluster(effect, 'cluster.created', { id, organizationId, name }, undefined, id);
  return await written(effect, { id, organizationId });
}

/** A cluster that is not deleted. */
export async function findCluster(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ClusterView | undefined> {
  const row = await clusters(kysely, organizationId).where('cluster.id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : view(row);
}

/** The cluster on the machine of the installation itself, if there is one. */
export async function findLocalCluster(kysely: Kysely<Tables>): Promise<ClusterRef | undefined> {
  return await kysely
    .selectFrom('cluster')
    .select(['id', 'organization_id as organizationId'])
    .where('local', '=', true)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
}

/** The organization's clusters, oldest first; `q`: words of their names or regions. */
export async function listClusters(
  kysely: Kysely<Tables>,
  organizationId: string,
  page: SoughtPage,
): Promise<ClusterView[]> {
  const { limit, after, q } = page;
  const query = clusters(kysely, organizationId)
    .where(hasWords(q, [sql.ref('cluster.name'), sql.ref('cluster.region')]))
    .$call(pageOf('cluster', 'oldest', { limit, after }));
  return (await query.execute()).map(view);
}

interface ClusterChanges {
  name?: string | undefined;
  region?: string | undefined;
  schedulable?: boolean | undefined;
}

/** Writes what differs. Its slug stays, since it stands in addresses. `undefined`: there is no such cluster. */
export async function changeCluster(
  effect: Effect,
  cluster: ClusterRef,
  changes: ClusterChanges,
): Promise<ClusterView | undefined> {
  const before = await lockCluster(effect, cluster);
  if (before === undefined) return undefined;
  const fields = ['name', 'region', 'schedulable'] as const;
  const changed = fields.filter((field) => changes[field] !== undefined && changes[field] !== before[field]);
  if (changed.length > 0) {
    await effect.kysely
      .updateTable('cluster')
      .set(Object.fromEntries(changed.map((field) => [field, changes[field]])))
      .where('id', '=', cluster.id)
      .execute();
    const details: JsonObject = {};
    for (const field of changed) details[field] = { from: before[field], to: changes[field] ?? null };
    recordCluster(effect, 'cluster.updated', { ...cluster, name: changes.name ?? before.name }, details);
  }
  return await written(effect, cluster);
}

/** The row, kept from others until the transaction ends. Rows of clusters are locked before those of their agents. */
export async function lockCluster(effect: Effect, { id, organizationId }: ClusterRef) {
  return await effect.kysely
    .selectFrom('cluster')
    .select(['name', 'region', 'schedulable', 'state', 'desired_revision'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

function clusters(kysely: Kysely<Tables>, organizationId: string) {
  return kysely
    .selectFrom('cluster')
    .innerJoin('cluster_agent as agent', 'agent.cluster_id', 'cluster.id')
    .select([
      'cluster.id',
      'cluster.organization_id as organizationId',
      'cluster.name',
      'cluster.slug',
      'cluster.region',
      'cluster.local',
      'cluster.schedulable',
      'cluster.state',
      'cluster.message',
      'cluster.desired_revision as desiredRevision',
      'cluster.created_at as createdAt',
      'cluster.deletion_requested_at as deletionRequestedAt',
      'agent.contact',
      'agent.enrolled_at as enrolledAt',
      'agent.incarnation',
      'agent.protocol_minor as protocolMinor',
      'agent.version',
      'agent.image',
      'agent.facts',
      'agent.connected_at as connectedAt',
      'agent.last_heartbeat_at as lastHeartbeatAt',
      'agent.applied_revision as appliedRevision',
      'agent.error',
      sql<number>`(select count(*)::int from cluster_slice slice
                   where slice.cluster_id = cluster.id and slice.removed_at is null)`.as('workloads'),
    ])
    .where('cluster.organization_id', '=', organizationId)
    .where('cluster.finished_at', 'is', null);
}

type Row = ReturnType<typeof clusters> extends SelectQueryBuilder<infer _D, infer _T, infer O> ? O : never;

function view(row: Row): ClusterView {
  const { contact, enrolledAt, incarnation, protocolMinor, version, image, facts, ...rest } = row;
  const { connectedAt, lastHeartbeatAt, appliedRevision, error, ...cluster } = rest;
  const told = { connectedAt, lastHeartbeatAt, appliedRevision, error };
  return { ...cluster, agent: { contact, enrolledAt, incarnation, protocolMinor, version, image, facts, ...told } };
}

async function written(effect: Effect, { id, organizationId }: ClusterRef): Promise<ClusterView> {
  const cluster = await findCluster(effect.kysely, organizationId, id);
  if (cluster === undefined) throw new Error(`The cluster ${id} that was just written is not there.`);
  return cluster;
}

async function slugs(effect: Effect, organizationId: string): Promise<Set<string>> {
  const rows = await effect.kysely
    .selectFrom('cluster')
    .select('slug')
    .where('organization_id', '=', organizationId)
    .where('finished_at', 'is', null)
    .execute();
  return new Set(rows.map((row) => row.slug));
}

/** Wakes the agent's long poll, which then finds new work or that its credential no longer holds. */
export function wakeAgent(effect: Effect, { id, organizationId }: ClusterRef): void {
  effect.change({ organizationId, kind: 'agent.work', id });
}

/** Records a change of a cluster in the audit log, and hints at it on event streams. */
export function recordCluster(
  effect: Effect,
  action: AuditAction,
  { id, organizationId, name }: ClusterRef & { name: string },
  details?: JsonObject,
  workflowId?: string,
): void {
  effect.audit(action, { organizationId, id, name, workflowId }, details);
  effect.change({ organizationId, kind: 'cluster', id });
}

export const foundClusters: Finder = {
  kind: 'cluster',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'cluster', {
      id: sql`cluster.id`,
      name: sql`cluster.name`,
      detail: sql`cluster.region`,
      clusterId: sql`cluster.id`,
      state: sql`cluster.state`,
      toldAt: sql`agent.last_heartbeat_at`,
      inContact: sql`agent.contact = 'connected'`,
    })}
    from cluster join cluster_agent agent on agent.cluster_id = cluster.id
    where cluster.organization_id = ${organizationId} and cluster.finished_at is null`,
};
