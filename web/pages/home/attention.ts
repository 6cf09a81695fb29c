import type { LinkProps } from '@tanstack/react-router';
import type { Tone } from '../../components/style.ts';
import type { ListedCluster } from '../clusters/cluster-status.tsx';
import { type ClusterEvent, eventWords } from '../events/event-words.ts';
import type { Actor } from '../workflows/actor-words.ts';

/** One entry of "Needs attention", with a link to its page. */
export interface Attention {
  key: string;
  tone: Tone;
  title: string;
  detail: string;
  go: string;
  link: LinkProps;
}

interface Known {
  organization: string;
  clusters: readonly ListedCluster[];
  /** Newest first. */
  events: readonly ClusterEvent[];
  /** Stuck workflows; empty for roles that may not see them. */
  stuck: readonly Actor[];
  mayUpdate: boolean;
}

/** Failures first, then what waits for a person, then suggestions. */
export function attentionOf(known: Known): Attention[] {
  const found = [
    ...known.clusters.flatMap((cluster) => ofCluster(cluster, known)),
    ...endedUpdates(known),
    ...known.stuck.map((actor) => ofStuck(actor, known)),
    ...known.clusters.flatMap((cluster) => ofOldAgent(cluster, known)),
  ];
  const urgency: Tone[] = ['fault', 'attention', 'live', 'neutral', 'good'];
  return found.toSorted((one, other) => urgency.indexOf(one.tone) - urgency.indexOf(other.tone));
}

const troubles: Partial<Record<ListedCluster['status'], { tone: Tone; title: (name: string) => string; why: string }>> =
  {
    failed: {
      tone: 'fault',
      title: (name) => `${name} failed`,
      why: 'Its workflow ended, and it accepts no more changes: add its machine as a new cluster.',
    },
    lost: {
      tone: 'fault',
      title: (name) => `${name} lost contact`,
      why: 'No heartbeat from its agent. Its workloads keep running, but cannot be changed.',
    },
    degraded: { tone: 'attention', title: (name) => `${name} is degraded`, why: 'The agent reported a problem.' },
    'awaiting-agent': {
      tone: 'attention',
      title: (name) => `${name} is waiting for its agent`,
      why: 'Run the join command on its machine.',
    },
  };

function ofCluster(cluster: ListedCluster, { organization }: Known): Attention[] {
  const trouble = troubles[cluster.status];
  if (trouble === undefined) return [];
  const localWaits = cluster.local && cluster.status === 'awaiting-agent';
  const why = localWaits ? 'The agent of this installation is missing; run ./ballast doctor.' : trouble.why;
  return [
    {
      key: `cluster ${cluster.id}`,
      tone: trouble.tone,
      title: trouble.title(cluster.name),
      detail: cluster.message || why,
      go: 'Open cluster',
      link: { to: '/$organization/clusters/$cluster', params: { organization, cluster: cluster.id } },
    },
  ];
}

/** The latest update of each agent, if it was returned or failed. */
function endedUpdates({ organization, clusters, events }: Known): Attention[] {
  return clusters.flatMap((cluster) => {
    const last = events.find(({ clusterId, kind }) => clusterId === cluster.id && kind.startsWith('agent.update.'));
    if (last === undefined || (last.kind !== 'agent.update.returned' && last.kind !== 'agent.update.failed')) return [];
    const { title, detail, tone } = eventWords(last);
    return [
      {
        key: `update ${last.id}`,
        tone,
        title: `${cluster.name}: ${title}`,
        detail,
        go: 'Open updates',
        link: { to: '/$organization/clusters/$cluster/agent', params: { organization, cluster: cluster.id } },
      },
    ];
  });
}

function ofStuck(actor: Actor, { organization }: Known): Attention {
  return {
    key: `stuck ${actor.id}`,
    tone: 'attention',
    title: `${actor.title} is stuck`,
    detail: actor.blocker || actor.message,
    go: 'Open history',
    link: { to: '/$organization/workflows/$workflow', params: { organization, workflow: actor.id } },
  };
}

function ofOldAgent(cluster: ListedCluster, { organization, mayUpdate }: Known): Attention[] {
  if (!mayUpdate || cluster.summary?.agentUpdateAvailable !== true || cluster.status !== 'ready') return [];
  return [
    {
      key: `agent ${cluster.id}`,
      tone: 'neutral',
      title: `The agent of ${cluster.name} can be updated`,
      detail: `It runs ${cluster.agentVersion}; workloads keep running during the update.`,
      go: 'Open update',
      link: { to: '/$organization/clusters/$cluster/agent', params: { organization, cluster: cluster.id } },
    },
  ];
}
