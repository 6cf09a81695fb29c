import { findRelease } from '../db/agent-updates/agent-releases.ts';
import { updateCommandId } from '../db/agent-updates/agent-updates.ts';
import { tellCluster } from '../db/agents/cluster-agents.ts';
import { insertClusterEvent } from '../db/clusters/cluster-events.ts';
import { cancelCommand, createCommand } from '../db/commands/cluster-commands.ts';
import { type Effect, effect } from '../db/engine/effect.ts';
import { project } from '../db/engine/projection.ts';
import type { Database } from '../db/postgres/database.ts';
import { answerTo } from '../db/workflows/actor-rows.ts';
import type { Secrets } from '../db/workloads/sealed-workload.ts';
import type { RowSays } from '../domain/actors/actor-descriptor.ts';
import { actorId } from '../domain/actors/actors.ts';
import { type AgentUpdateState, confirmSeconds, isAgentUpdateOver } from '../workflows/agent-update/descriptor.ts';
import { actorAuthor } from './caller.ts';

export interface AgentUpdateToBegin {
  updateId: string;
  clusterId: string;
  organizationId: string;
  fromImage: string;
  toImage: string;
}

export interface ShownAgentUpdate {
  updateId: string;
  clusterId: string;
  organizationId: string;
  state: AgentUpdateState;
  revision: number;
  message: string | null;
  /** The actor ends with it and cannot obey a row that is ahead: it counts whatever the row's revision. */
  lastWord?: boolean;
}

const takenWithinSeconds = 600;
const events = {
  succeeded: 'agent.update.succeeded',
  returned: 'agent.update.returned',
  failed: 'agent.update.failed',
} as const;

/** Activities of an agent's update. Each may run twice. */
export function createActivities({ database, keyring }: { database: Database; keyring: Secrets }) {
  return {
    /** Asks the agent for it, and tells the cluster. `refused` says why it cannot even begin. */
    async beginAgentUpdate(update: AgentUpdateToBegin): Promise<{ refused?: string }> {
      const { updateId, clusterId, organizationId, fromImage, toImage } = update;
      return await effect(database, actorAuthor(), async (beginning) => {
        const row = await lockRow(beginning, updateId);
        if (row === undefined) return { refused: 'Its cluster is gone.' };
        // Final, or begun by a run before this one.
        if (row.finished || row.state !== 'requested') return {};
        const release = await findRelease(beginning.kysely, { image: toImage });
        if (release === undefined) return { refused: `This control plane does not have the release ${toImage}.` };
        const cluster = { id: clusterId, organizationId };
        const { digest, sizeBytes, proof } = release;
        await createCommand(beginning, keyring, cluster, {
          id: updateCommandId(updateId),
          body: { kind: 'update', image: toImage, digest, sizeBytes, confirmSeconds, proof },
          actorId: actorId('agent-update', updateId),
          expiresInSeconds: takenWithinSeconds,
        });
        tellCluster(beginning, cluster, 'updating', { updateId });
        const occasion = `agent-update ${updateId} started`;
        const payload = { updateId, fromImage, toImage };
        await insertClusterEvent(beginning, {
          organizationId,
          clusterId,
          kind: 'agent.update.started',
          occasion,
          payload,
        });
        return {};
      });
    },

    /** Writes a phase; the last one also ends the command and tells the cluster. Answers what the row says then. */
    async showAgentUpdate(shown: ShownAgentUpdate): Promise<RowSays & { state: AgentUpdateState }> {
      const { updateId, clusterId, organizationId, state, message, lastWord = false } = shown;
      return await effect(database, actorAuthor(), async (showing) => {
        const row = await lockRow(showing, updateId);
        if (row === undefined) return { state: 'failed' };
        const revision = lastWord ? Math.max(shown.revision, row.revision) : shown.revision;
        const finished = isAgentUpdateOver(state);
        const projection = { state, revision, finished, last: lastWord, set: { message, blocker: null } };
        const projected = await project(showing.kysely, 'agent-update', updateId, projection, database.raiseAlarm);
        if (projected.result === 'refused') {
          const answer = await answerTo(showing.kysely, 'agent-update', updateId, { state, revision }, projected);
          return { ...answer, state: row.state };
        }
        if (row.state === state) return { state };
        showing.change({ organizationId, kind: 'agent_update', id: updateId });
        if (!finished) return { state };
        const cluster = { id: clusterId, organizationId };
        await cancelCommand(showing, cluster, updateCommandId(updateId));
        tellCluster(showing, cluster, 'updating', { updateId: null, ended: updateId });
        if (state in events) {
          await insertClusterEvent(showing, {
            organizationId,
            clusterId,
            kind: events[state as keyof typeof events],
            occasion: `agent-update ${updateId} ended`,
            payload: { updateId, fromImage: row.from, toImage: row.to, ...(message === null ? {} : { message }) },
          });
        }
        return { state };
      });
    },
  };
}

export type AgentUpdateActivities = ReturnType<typeof createActivities>;

/** Locked, so that an activity that runs twice at once says everything once. */
async function lockRow({ kysely }: Effect, updateId: string) {
  const row = await kysely
    .selectFrom('agent_update')
    .select(['state', 'revision', 'finished_at', 'from_image', 'to_image'])
    .where('id', '=', updateId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { state, revision, finished_at: finishedAt, from_image: from, to_image: to } = row;
  return { state, revision, finished: finishedAt !== null, from, to };
}
