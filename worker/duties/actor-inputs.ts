import type { Kysely } from 'kysely';
import type { JsonObject } from '../../db/postgres/json.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import type { ActorKind } from '../../domain/actors.ts';
import type { AgentUpdateInput } from '../../workflows/agent-update/messages.ts';
import type { ClusterInput, ClusterKnowledge } from '../../workflows/cluster/messages.ts';
import type { DeletionInput } from '../../workflows/deletion/messages.ts';

/** What an actor of each kind is started with, from its row: so a lost one can be started again. */
const inputs: Record<ActorKind, (kysely: Kysely<Tables>, rowId: string) => Promise<JsonObject | undefined>> = {
  async deletion(kysely, rowId) {
    const row = await kysely
      .selectFrom('deletion')
      .select(['organization_id', 'restore_until'])
      .where('id', '=', rowId)
      .executeTakeFirst();
    if (!row) return undefined;
    const restoreUntil = row.restore_until.toISOString();
    return { deletionId: rowId, organizationId: row.organization_id, restoreUntil } satisfies DeletionInput;
  },

  async cluster(kysely, rowId) {
    const row = await kysely
      .selectFrom('cluster')
      .innerJoin('cluster_agent as agent', 'agent.cluster_id', 'cluster.id')
      .leftJoin('agent_update as open', (join) =>
        join.onRef('open.cluster_id', '=', 'cluster.id').on('open.finished_at', 'is', null),
      )
      .select(['cluster.organization_id', 'cluster.revision', 'cluster.deletion_requested_at', 'agent.contact'])
      .select(['agent.told_trouble', 'open.id as updateId'])
      .where('cluster.id', '=', rowId)
      .executeTakeFirst();
    if (!row) return undefined;
    const known: JsonObject & ClusterKnowledge = {
      contact: row.contact,
      trouble: row.told_trouble,
      updateId: row.updateId,
      deleting: row.deletion_requested_at !== null,
      revision: row.revision,
      heard: [],
    };
    return { clusterId: rowId, organizationId: row.organization_id, known } satisfies ClusterInput;
  },

  async 'agent-update'(kysely, rowId) {
    const row = await kysely
      .selectFrom('agent_update')
      .select(['organization_id', 'cluster_id', 'from_image', 'to_image'])
      .where('id', '=', rowId)
      .executeTakeFirst();
    if (!row) return undefined;
    return {
      updateId: rowId,
      clusterId: row.cluster_id,
      organizationId: row.organization_id,
      fromImage: row.from_image,
      toImage: row.to_image,
    } satisfies AgentUpdateInput;
  },
};

export function actorInput(kysely: Kysely<Tables>, kind: ActorKind, rowId: string): Promise<JsonObject | undefined> {
  return inputs[kind](kysely, rowId);
}
