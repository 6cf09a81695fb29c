import type { Kysely } from 'kysely';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';

/** A slice as the agent last saw it; instances, volumes and traffic as in protocol/observed.ts. */
export interface ObservedSliceView {
  key: string;
  appliedRevision: number;
  /** The desired revision that the agent had when it looked; null for agents that do not report one. */
  revision: number | null;
  error: string | null;
  instances: JsonValue[];
  volumes: JsonValue[];
  traffic: JsonValue[];
  /** `observedRollout` of the protocol; null for workloads without one. */
  rollout: JsonObject | null;
  observedAt: Date;
}

export async function listObservedSlices(
  kysely: Kysely<Tables>,
  { id, organizationId }: ClusterRef,
  keys?: readonly string[],
): Promise<ObservedSliceView[]> {
  let query = observed(kysely).where('cluster_id', '=', id).where('organization_id', '=', organizationId);
  if (keys !== undefined) {
    if (keys.length === 0) return [];
    query = query.where('key', 'in', keys);
  }
  return await query.orderBy('key').execute();
}

export async function findObservedSlice(
  kysely: Kysely<Tables>,
  cluster: ClusterRef,
  key: string,
): Promise<ObservedSliceView | undefined> {
  return (await listObservedSlices(kysely, cluster, [key]))[0];
}

function observed(kysely: Kysely<Tables>) {
  return kysely
    .selectFrom('observed_slice')
    .select([
      'key',
      'applied_revision as appliedRevision',
      'revision',
      'error',
      'instances',
      'volumes',
      'traffic',
      'rollout',
      'observed_at as observedAt',
    ]);
}
