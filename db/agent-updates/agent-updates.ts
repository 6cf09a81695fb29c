import { type Kysely, sql } from 'kysely';
import { v7 as uuid, v5 as uuidOf } from 'uuid';
import { actorId } from '../../domain/actors/actors.ts';
import { Problem } from '../../domain/problems.ts';
import type { AgentUpdateState } from '../../workflows/agent-update/descriptor.ts';
import { type BrokenSource, brokenColumns } from '../attention/broken.ts';
import { type ClusterRef, lockCluster, recordCluster } from '../clusters/clusters.ts';
import { cancelCommand } from '../commands/cluster-commands.ts';
import type { Effect } from '../engine/effect.ts';
import { downSentence } from '../engine/processes/processes.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { Tables } from '../postgres/tables.ts';

const namespace = '9a1c5b9e-6a5f-5d0c-8f6f-0c2f1b7d2f11';

/** The id of the command that carries an update out: the same each time it is asked for. */
export function updateCommandId(updateId: string): string {
  return uuidOf(`agent-update ${updateId}`, namespace);
}

export interface AgentUpdateView {
  id: string;
  clusterId: string;
  kind: 'update' | 'rollback';
  fromImage: string;
  toImage: string;
  state: AgentUpdateState;
  message: string | null;
  requestedBy: { kind: 'user' | 'token' | 'machine' | 'actor'; id: string; name: string };
  createdAt: Date;
  finishedAt: Date | null;
}

/** Decides that the agent shall run another release; the actor does the rest. One at a time. */
export async function requestAgentUpdate(
  effect: Effect,
  cluster: ClusterRef,
  { kind, toImage }: { kind: 'update' | 'rollback'; toImage: string },
): Promise<AgentUpdateView> {
  const { organizationId } = cluster;
  const row = await lockCluster(effect, cluster);
  if (row === undefined) throw new Problem('not-found', 'There is no such cluster.');
  const agent = await effect.kysely
    .selectFrom('cluster_agent')
    .select(['contact', 'image'])
    .where('cluster_id', '=', cluster.id)
    .executeTakeFirst();
  if (row.state === 'deleting' || agent?.contact !== 'connected' || agent.image === null) {
    throw new Problem(
      'cluster-not-ready',
      `The agent of the cluster "${row.name}" is not connected: update it after it reconnects.`,
    );
  }
  if (await openUpdate(effect.kysely, cluster.id)) throw inProgress(row.name);
  const id = uuid();
  const { author } = effect;
  try {
    await effect.kysely
      .insertInto('agent_update')
      .values({
        id,
        organization_id: organizationId,
        cluster_id: cluster.id,
        kind,
        from_image: agent.image,
        to_image: toImage,
        requested_by_kind: author.kind,
        requested_by_id: author.id,
        requested_by_name: author.name,
      })
      .execute();
  } catch (error) {
    if (uniqueViolation(error) === 'agent_update_open_unique') throw inProgress(row.name);
    throw error;
  }
  effect.tell({ start: 'agent-update', id, organizationId });
  const details = { kind, from: agent.image, to: toImage };
  recordCluster(effect, 'cluster.agent_update_requested', { ...cluster, name: row.name }, details, id);
  effect.change({ organizationId, kind: 'agent_update', id });
  const update = await findAgentUpdate(effect.kysely, cluster, id);
  if (update === undefined) throw new Error('The update that was just written is not there.');
  return update;
}

/** Stops the open update, which can be done as long as the agent has not begun to switch. */
export async function cancelAgentUpdate(effect: Effect, cluster: ClusterRef): Promise<AgentUpdateView> {
  const { organizationId } = cluster;
  const row = await lockCluster(effect, cluster);
  if (row === undefined) throw new Problem('not-found', 'There is no such cluster.');
  const open = await effect.kysely
    .selectFrom('agent_update')
    .select(['id', 'state'])
    .where('cluster_id', '=', cluster.id)
    .where('organization_id', '=', organizationId)
    .where('finished_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (open === undefined) throw new Problem('not-found', `No update of the agent of "${row.name}" is in progress.`);
  if (open.state !== 'requested' && open.state !== 'downloading') {
    throw new Problem(
      'already-decided',
      `The agent of "${row.name}" is already switching versions, so the update can no longer be cancelled: the agent rolls back if the new version fails.`,
    );
  }
  await effect.kysely
    .updateTable('agent_update')
    .set({ state: 'cancelled', finished_at: sql`now()`, revision: sql`revision + 1`, blocker: null })
    .where('id', '=', open.id)
    .execute();
  await cancelCommand(effect, cluster, updateCommandId(open.id));
  effect.tell({ to: actorId('agent-update', open.id), message: 'cancelled', organizationId, body: {} });
  effect.tell({
    to: actorId('cluster', cluster.id),
    message: 'updating',
    organizationId,
    body: { updateId: null, ended: open.id },
  });
  recordCluster(effect, 'cluster.agent_update_cancelled', { ...cluster, name: row.name });
  effect.change({ organizationId, kind: 'agent_update', id: open.id });
  const update = await findAgentUpdate(effect.kysely, cluster, open.id);
  if (update === undefined) throw new Error('The update that was just cancelled is not there.');
  return update;
}

/** The release that the agent runs, the update in progress, and the last updates, newest first. */
export async function agentStatus(
  kysely: Kysely<Tables>,
  cluster: ClusterRef,
  limit = 20,
): Promise<{ open: AgentUpdateView | undefined; attempts: AgentUpdateView[] }> {
  const attempts = await updates(kysely, cluster)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const views = attempts.map(view);
  return { open: views.find(({ finishedAt }) => finishedAt === null), attempts: views };
}

export async function findAgentUpdate(
  kysely: Kysely<Tables>,
  cluster: ClusterRef,
  id: string,
): Promise<AgentUpdateView | undefined> {
  const row = await updates(kysely, cluster).where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : view(row);
}

/** Whether this cluster's agent has run that release before: only such a one can be rolled back to. */
export async function hasRunImage(kysely: Kysely<Tables>, cluster: ClusterRef, image: string): Promise<boolean> {
  const row = await updates(kysely, cluster)
    .where(({ eb, or, and }) =>
      or([eb('from_image', '=', image), and([eb('to_image', '=', image), eb('state', '=', 'succeeded')])]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The update of this cluster that has not ended. */
async function openUpdate(kysely: Kysely<Tables>, clusterId: string): Promise<{ id: string } | undefined> {
  return await kysely
    .selectFrom('agent_update')
    .select('id')
    .where('cluster_id', '=', clusterId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
}

function updates(kysely: Kysely<Tables>, { id, organizationId }: ClusterRef) {
  return kysely
    .selectFrom('agent_update')
    .selectAll()
    .select(downSentence.as('down'))
    .where('cluster_id', '=', id)
    .where('organization_id', '=', organizationId);
}

function view(row: Awaited<ReturnType<ReturnType<typeof updates>['executeTakeFirstOrThrow']>>): AgentUpdateView {
  return {
    id: row.id,
    clusterId: row.cluster_id,
    kind: row.kind,
    fromImage: row.from_image,
    toImage: row.to_image,
    state: row.state,
    message: row.finished_at === null ? (row.down ?? row.blocker ?? row.message) : row.message,
    requestedBy: { kind: row.requested_by_kind, id: row.requested_by_id, name: row.requested_by_name },
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

function inProgress(name: string): Problem {
  return new Problem(
    'update-in-progress',
    `The agent of the cluster "${name}" is already being updated: wait until that update finishes, or cancel it.`,
  );
}

const cluster = { clusterId: sql`cluster.id`, clusterName: sql`cluster.name` };

/** The last update of an agent, as long as none has been tried since. */
const failedUpdates: BrokenSource = {
  role: 'viewer',
  select: (organizationId) => sql`
    select ${brokenColumns(
      sql`case last.state when 'failed' then 15 else 25 end`,
      sql`'agent-update.' || last.state`,
      sql`last.id`,
      {
        ...cluster,
        name: sql`last.to_image`,
        workflowId: sql`last.id`,
        workflowKind: sql`'agent-update'`,
        detail: sql`last.message`,
      },
    )}
    from cluster
    cross join lateral (
      select id, state, to_image, message from agent_update
      where agent_update.cluster_id = cluster.id order by created_at desc, id desc limit 1
    ) as last
    where cluster.organization_id = ${organizationId} and cluster.finished_at is null
      and last.state in ('failed', 'returned')`,
};

/** Agents of another release than the one on offer. No fault: a suggestion, for those who may follow it. */
const outdatedAgents: BrokenSource = {
  role: 'admin',
  select: (organizationId) => sql`
    select ${brokenColumns(sql`90`, sql`'agent.outdated'`, sql`cluster.id`, {
      ...cluster,
      name: sql`agent.version`,
    })}
    from cluster join cluster_agent agent on agent.cluster_id = cluster.id
    where cluster.organization_id = ${organizationId} and cluster.finished_at is null and cluster.state = 'ready'
      and agent.contact = 'connected' and agent.image <> (
        select image from agent_release where offered and proof is not null order by created_at desc limit 1)`,
};

export const brokenUpdates: readonly BrokenSource[] = [failedUpdates, outdatedAgents];
