import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { ClusterEventKind } from '../../domain/clusters/clusters.ts';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';

export interface ClusterEventView {
  id: string;
  clusterId: string;
  kind: ClusterEventKind;
  environmentId: string | null;
  serviceId: string | null;
  releaseId: string | null;
  payload: JsonObject | null;
  at: Date;
}

export interface NewClusterEvent {
  organizationId: string;
  clusterId: string;
  kind: ClusterEventKind;
  /** Deduplicates: an event reported twice for one occasion is stored once. */
  occasion: string;
  payload?: JsonObject | undefined;
  /** When it happened, if that was not now. */
  at?: Date | undefined;
}

export interface EventPosition {
  at: Date;
  id: string;
}

/** Stores an event once per occasion. `false`: the event was stored before. */
export async function insertClusterEvent(effect: Effect, event: NewClusterEvent): Promise<boolean> {
  const { organizationId, clusterId, kind, occasion, payload, at } = event;
  const inserted = await effect.kysely
    .insertInto('cluster_event')
    .values({
      id: uuid(),
      organization_id: organizationId,
      cluster_id: clusterId,
      kind,
      occasion,
      payload: payload ?? null,
      ...(at === undefined ? {} : { at }),
    })
    .onConflict((conflict) => conflict.columns(['cluster_id', 'occasion']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return false;
  effect.change({ organizationId, kind: 'cluster_event', id: inserted.id });
  return true;
}

/** Events of the organization, or of one of its clusters, newest first. */
export async function listClusterEvents(
  kysely: Kysely<Tables>,
  organizationId: string,
  page: { clusterId?: string | undefined; limit: number; after?: EventPosition | undefined },
): Promise<ClusterEventView[]> {
  const { clusterId, limit, after } = page;
  let query = kysely
    .selectFrom('cluster_event')
    .select([
      'id',
      'cluster_id as clusterId',
      'kind',
      'environment_id as environmentId',
      'service_id as serviceId',
      'release_id as releaseId',
      'payload',
      'at',
    ])
    .where('organization_id', '=', organizationId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (clusterId !== undefined) query = query.where('cluster_id', '=', clusterId);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(after.at, after.id)));
  }
  return await query.execute();
}

/** Deletes events past their retention. Returns how many. */
export async function sweepClusterEvents(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`at < now() - interval '90 days'`;
  return await deleteInBatches(kysely, { table: 'cluster_event', where, along: sql.ref('at'), signal });
}
