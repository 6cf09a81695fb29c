import { lockAgent } from '../db/agents/cluster-agents.ts';
import { forgetMachine } from '../db/agents/reports.ts';
import { insertClusterEvent } from '../db/clusters/cluster-events.ts';
import { recordCluster } from '../db/clusters/clusters.ts';
import { endCommand } from '../db/commands/cluster-commands.ts';
import { type Effect, effect } from '../db/engine/effect.ts';
import { project } from '../db/engine/projection.ts';
import type { Database } from '../db/postgres/database.ts';
import type { JsonObject } from '../db/postgres/json.ts';
import { answerTo, rowSays } from '../db/workflows/actor-rows.ts';
import type { RowSays } from '../domain/actors/actor-descriptor.ts';
import type { ClusterEventKind, ClusterState } from '../domain/clusters/clusters.ts';
import { actorAuthor } from './caller.ts';

interface OfCluster {
  clusterId: string;
  organizationId: string;
  revision: number;
}

export interface ShownCluster extends OfCluster {
  state: ClusterState;
  message: string | null;
  event?: { kind: ClusterEventKind; occasion: string; payload: JsonObject; at?: string };
}

const unheard = 'No heartbeat of its agent: check that its machine runs and reaches this control plane.';

/** Activities of a cluster's actor. Each may run twice. */
export function createActivities({ database }: { database: Database }) {
  return {
    async showCluster({ clusterId, organizationId, state, revision, message, event }: ShownCluster): Promise<RowSays> {
      return await effect(database, actorAuthor(), async (showing) => {
        const row = await lockRow(showing, clusterId);
        if (row === undefined || row.finished) return await rowSays(showing.kysely, 'cluster', clusterId, revision);
        let answer: RowSays = { state };
        // That it goes was decided, and we shall hear of it: until then the decision stands in the row.
        if (!row.deleting) {
          const why = state === 'lost' ? unheard : message;
          const projection = { state, revision, set: { message: why, blocker: null } };
          const projected = await project(showing.kysely, 'cluster', clusterId, projection, database.raiseAlarm);
          answer = await answerTo(showing.kysely, 'cluster', clusterId, { state, revision }, projected);
          showing.change({ organizationId, kind: 'cluster', id: clusterId });
        }
        if (event === undefined) return answer;
        const { kind, occasion, payload, at } = event;
        await insertClusterEvent(showing, {
          organizationId,
          clusterId,
          kind,
          occasion,
          payload,
          at: at === undefined ? undefined : new Date(at),
        });
        return answer;
      });
    },

    /** All that belongs to the cluster goes, and nobody speaks for it any more; its row and its events are kept. */
    async deleteCluster({ clusterId, organizationId, revision }: OfCluster): Promise<'deleted' | 'failed'> {
      return await effect(database, actorAuthor(), async (deleting) => {
        const { kysely } = deleting;
        const row = await lockRow(deleting, clusterId);
        // The purge of the organization deleted the cluster too.
        if (row === undefined) return 'deleted';
        if (row.finished) return row.state === 'failed' ? 'failed' : 'deleted';
        // Before all that a report or a hello under way locks after it.
        await lockAgent(deleting, clusterId);
        const open = await kysely
          .selectFrom('cluster_command')
          .select('id')
          .where('cluster_id', '=', clusterId)
          .where('finished_at', 'is', null)
          .execute();
        for (const { id } of open)
          await endCommand(deleting, id, { state: 'lost', message: 'The cluster is deleted.' });
        await forgetMachine(deleting, { id: clusterId, organizationId });
        await kysely.deleteFrom('cluster_slice').where('cluster_id', '=', clusterId).execute();
        for (const table of ['ingress_host', 'internal_port'] as const)
          await kysely.deleteFrom(table).where('cluster_id', '=', clusterId).execute();
        await kysely.deleteFrom('enrollment_token').where('cluster_id', '=', clusterId).execute();
        // The credential opens nothing any more but stays known, so that the agent can be told to leave.
        await kysely
          .updateTable('cluster_agent')
          .set({ contact: 'never', next_credential_hash: null, error: null, told_trouble: null, facts: null })
          .where('cluster_id', '=', clusterId)
          .execute();
        const projection = {
          state: 'deleted',
          revision: Math.max(revision, row.revision),
          finished: true,
          last: true,
          set: { message: null, blocker: null },
        } as const;
        await project(kysely, 'cluster', clusterId, projection, database.raiseAlarm);
        recordCluster(deleting, 'cluster.deleted', { id: clusterId, organizationId, name: row.name });
        return 'deleted';
      });
    },
  };
}

export type ClusterActivities = ReturnType<typeof createActivities>;

async function lockRow({ kysely }: Effect, clusterId: string) {
  const row = await kysely
    .selectFrom('cluster')
    .select(['name', 'state', 'revision', 'finished_at', 'deletion_requested_at'])
    .where('id', '=', clusterId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { name, state, revision } = row;
  return { name, state, revision, finished: row.finished_at !== null, deleting: row.deletion_requested_at !== null };
}
