import type { LinkProps } from '@tanstack/react-router';
import { releaseText } from '../../../domain/clusters/clusters.ts';
import { isOutOfContact } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';
import { buildLink, logEnd } from '../builds/build-words.ts';
import { deploymentLink } from '../deployments/deployment-words.ts';

export type Attention = Answers['attention']['list']['items'][number];

interface Words {
  tone: Tone;
  title: (on: string, name: string, item: Attention) => string;
  /** Said where the control plane gives no reason. */
  why?: string;
  to: 'channel' | 'log' | 'cluster' | 'events' | 'agent' | 'workflow' | 'deployment' | 'build' | 'guard';
}

const words: Record<Attention['kind'], Words> = {
  'cluster.failed': {
    tone: 'fault',
    title: (on) => `${on} failed`,
    why: 'Its workflow ended, and it accepts no more changes: add its machine as a new cluster.',
    to: 'events',
  },
  'cluster.lost': {
    tone: 'fault',
    title: (on) => `${on} lost contact`,
    why: 'No heartbeat from its agent. Its workloads keep running, but cannot be changed.',
    to: 'events',
  },
  'cluster.degraded': { tone: 'attention', title: (on) => `${on} is degraded`, to: 'events' },
  'cluster.awaiting-agent': {
    tone: 'attention',
    title: (on) => `${on} is waiting for its agent`,
    why: 'Run the join command on its machine. For the cluster of this installation, run ./ballast doctor.',
    to: 'cluster',
  },
  'node.not-ready': { tone: 'attention', title: (on, name) => `The node ${name} of ${on} is not ready`, to: 'events' },
  'disk.pressure': { tone: 'attention', title: (on) => `The disk of ${on} is almost full`, to: 'events' },
  'deployment.failed': {
    tone: 'fault',
    title: (_, name, { deployment }) =>
      `Release ${deployment?.releaseNumber} of ${name} failed in ${deployment?.environmentName} of ${deployment?.projectName}`,
    to: 'deployment',
  },
  'deployment.warned': {
    tone: 'attention',
    title: (_, name, { deployment }) =>
      `${name} is live in ${deployment?.environmentName} of ${deployment?.projectName}, and visitors get something else`,
    to: 'deployment',
  },
  'guard.loosened': {
    tone: 'attention',
    title: (_, name, { loosening }) => loosening?.title ?? name,
    to: 'guard',
  },
  'build.failed': {
    tone: 'fault',
    title: (_, name, { build }) =>
      `Build #${build?.number} of ${name} for ${build?.environmentName} of ${build?.projectName} failed`,
    to: 'build',
  },
  'build.not-deployed': {
    tone: 'attention',
    title: (_, name, { build }) =>
      `Build #${build?.number} of ${name} was not deployed to ${build?.environmentName} of ${build?.projectName}`,
    to: 'build',
  },
  'build.awaits-approval': {
    tone: 'attention',
    title: (_, name, { build }) =>
      `Build #${build?.number} of ${name} for ${build?.environmentName} awaits an approval`,
    to: 'build',
  },
  'build.values-changed': {
    tone: 'attention',
    title: (_, name, { build }) =>
      `${name} in ${build?.environmentName} of ${build?.projectName} was built with other values`,
    to: 'build',
  },
  'build.fewer-variables': {
    tone: 'attention',
    title: (_, name, { build }) => `Builds of ${name} for ${build?.environmentName} see fewer variables than before`,
    to: 'build',
  },
  'workload.failed': { tone: 'fault', title: (on, name) => `${name} failed on ${on}`, to: 'log' },
  'workload.degraded': { tone: 'attention', title: (on, name) => `${name} is degraded on ${on}`, to: 'log' },
  'agent-update.failed': {
    tone: 'fault',
    title: (on, name) => `The update of ${on} to ${releaseText(name)} failed`,
    to: 'agent',
  },
  'agent-update.returned': {
    tone: 'attention',
    title: (on, name) => `${on} rolled back from ${releaseText(name)} to its previous release`,
    to: 'agent',
  },
  'notification-channel.failing': {
    tone: 'attention',
    title: (_, name) => `Notifications do not reach the channel ${name}`,
    to: 'channel',
  },
  'agent.outdated': {
    tone: 'neutral',
    title: (on) => `The agent of ${on} can be updated`,
    why: 'Workloads keep running during the update.',
    to: 'agent',
  },
  'workflow.stuck': {
    tone: 'attention',
    title: (_, name, { workflow }) => `${workflow?.title ?? name} is stuck`,
    to: 'workflow',
  },
};

export interface AttentionWords {
  tone: Tone;
  title: string;
  detail: string;
  /** Absent where nothing tells more than the item itself. */
  go?: string;
  link?: LinkProps;
}

/** An item in words, with the way to what tells most about it. */
export function attentionWords(item: Attention, organization: string): AttentionWords {
  const { kind, cluster, name = '', instance, workflow, channel, deployment, build, loosening, detail } = item;
  const { tone, title, why = '', to } = words[kind] ?? { tone: 'attention', title: () => kind, to: 'cluster' };
  const params = { organization, cluster: cluster?.id ?? '' };
  const text = title(cluster?.name ?? '', name, item);
  const known = isOutOfContact(item)
    ? { tone: 'neutral' as const, title: `Last known: ${text}` }
    : { tone, title: text };
  const told = { ...known, detail: detail || why };
  if (to === 'guard') return { ...told, detail: loosenedText(loosening) };
  const open = (what: string, link: LinkProps): AttentionWords => ({ ...told, go: `Open ${what}`, link });
  if (to === 'deployment' && deployment !== undefined) {
    return open('deployment', deploymentLink(deployment, organization));
  }
  if (to === 'build' && build !== undefined) {
    // Of a build that failed, the end of its log says why.
    if (kind === 'build.failed' && build.logLines > 0) return open('log', logEnd(build, organization));
    return open('build', buildLink(build, organization));
  }
  if (to === 'channel' && channel !== undefined) {
    const at = { organization, channel: channel.id };
    return open('channel', { to: '/$organization/notification-channels/$channel', params: at });
  }
  if (to === 'workflow' || cluster === undefined) {
    const at = { organization, workflow: workflow?.id ?? '' };
    return open('history', { to: '/$organization/workflows/$workflow', params: at });
  }
  if (to === 'log' && instance !== undefined) {
    return open('log', {
      to: '/$organization/clusters/$cluster/instances/$instance',
      params: { ...params, instance },
    });
  }
  if (to === 'agent') return open('update', { to: '/$organization/clusters/$cluster/agent', params });
  if (to === 'events') return open('events', { to: '/$organization/clusters/$cluster/events', params });
  return open('cluster', { to: '/$organization/clusters/$cluster', params });
}

/** Who loosened it and when, and what ended that. Times are shown in the reader's zone. */
function loosenedText(loosening: Attention['loosening']): string {
  if (loosening === undefined) return '';
  const { by, createdAt, endedAt, endedBy, undone } = loosening;
  const loosened = `Loosened by ${by} at ${createdAt}.`;
  if (endedAt === undefined) return loosened;
  return `${loosened} ${undone ? 'Undone' : 'Changed again'} by ${endedBy} at ${endedAt}.`;
}
