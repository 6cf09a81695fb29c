import type { NotificationMessage } from '../notifications.ts';

export function clusterLost({ clusterId, name }: { clusterId: string; name: string }): NotificationMessage {
  return {
    kind: 'warning',
    title: `Cluster ${name} lost contact with its agent`,
    body: 'What runs there goes on running, as far as is known, but nothing can be changed. Check the machine, its network and the agent on it.',
    link: { type: 'cluster', clusterId },
  };
}
