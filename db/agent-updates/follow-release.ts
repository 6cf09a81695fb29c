import { sql } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import { type Author, effect } from '../engine/effect.ts';
import type { Database } from '../postgres/database.ts';
import { type AgentReleaseView, currentRelease } from './agent-releases.ts';
import { requestAgentUpdate } from './agent-updates.ts';

const author: Author = { kind: 'machine', id: 'api', name: 'api' };

/**
 * The agent of the local cluster runs what its control plane offers, without anybody asking for it. Each release is tried
 * once: not again if it failed there before, and not if an update was asked for since it is offered, since that decision
 * is somebody else's. Answers which release was asked for.
 */
export async function followRelease(database: Database, among?: ClusterRef): Promise<string | undefined> {
  const release = await currentRelease(database.kysely);
  if (release === undefined) return undefined;
  const { image } = release;
  const cluster = await database.kysely
    .selectFrom('cluster')
    .innerJoin('cluster_agent', 'cluster_agent.cluster_id', 'cluster.id')
    .select(['cluster.id', 'cluster.organization_id as organizationId'])
    .where('cluster.local', '=', true)
    .where('cluster_agent.contact', '=', 'connected')
    // Heard of in this life of the installation: one that is not back yet will say hello.
    .where('cluster_agent.last_heartbeat_at', '>', sql<Date>`now() - interval '45 seconds'`)
    .where('cluster_agent.image', '<>', image)
    .$if(among !== undefined, (query) => query.where('cluster.id', '=', among?.id ?? ''))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('agent_update')
            .select('agent_update.id')
            .whereRef('agent_update.cluster_id', '=', 'cluster.id')
            .where('agent_update.finished_at', 'is', null),
        ),
      ),
    )
    .where(({ not }) => not(isLeftToPeople(release)))
    .executeTakeFirst();
  if (cluster === undefined) return undefined;
  try {
    await effect(database, author, (following) =>
      requestAgentUpdate(following, cluster, { kind: 'update', toImage: image }),
    );
    return image;
  } catch (error) {
    // Somebody was faster, or the agent has gone again.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Whether the agent of `cluster` does not follow this release by itself any more. */
export function isLeftToPeople({ image, createdAt }: Pick<AgentReleaseView, 'image' | 'createdAt'>) {
  return sql<boolean>`exists (
    select from agent_update attempt
    where attempt.cluster_id = cluster.id and (
      attempt.created_at >= ${createdAt} or attempt.to_image = ${image} and attempt.state in ('failed', 'returned')))`;
}
