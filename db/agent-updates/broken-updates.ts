import { sql } from 'kysely';
import { type BrokenSource, brokenColumns } from '../attention/broken.ts';

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
