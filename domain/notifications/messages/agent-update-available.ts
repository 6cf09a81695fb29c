import { releaseText } from '../../clusters/release-name.ts';
import type { NotificationMessage } from '../notifications.ts';

/** The image of the release that the agent runs, and that of the one that is offered. */
export interface AvailableUpdate {
  clusterId: string;
  name: string;
  from: string;
  to: string;
}

export function agentUpdateAvailable({ clusterId, name, from, to }: AvailableUpdate): NotificationMessage {
  return {
    kind: 'warning',
    title: `An agent update is available for cluster ${name}`,
    body: `Its agent runs release ${releaseText(from)}; this control plane offers ${releaseText(to)}. Start the update on the Agent tab of the cluster. Instances keep running meanwhile.`,
    link: { type: 'cluster', clusterId, tab: 'agent' },
  };
}
