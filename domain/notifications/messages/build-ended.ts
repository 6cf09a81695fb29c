import type { NotificationLink, NotificationMessage } from '../notifications.ts';

export interface ToldBuild {
  buildId: string;
  projectId: string;
  environmentId: string;
  environment: string;
  serviceId: string;
  service: string;
  number: number;
}

export interface EndedBuild extends ToldBuild {
  /** Why it failed, or why nothing was deployed; empty where nobody said. */
  reason: string;
}

export function buildFailed(ended: EndedBuild): NotificationMessage {
  const { number, service, environment, reason } = ended;
  const why = reason === '' ? 'The agent gave no reason.' : reason;
  return {
    kind: 'failure',
    title: `Build #${number} of ${service} for ${environment} failed`,
    body: `${why}\nWhat is live goes on serving. Read its log, mend what it names, and build again.`,
    link: linkOf(ended),
  };
}

export function buildNotDeployed(ended: EndedBuild): NotificationMessage {
  const { number, service, environment, reason } = ended;
  return {
    kind: 'failure',
    title: `Build #${number} of ${service} for ${environment} built but not deployed`,
    body: `${reason}\nIts image is kept. Mend what hinders it, then deploy its release, or build again.`,
    link: linkOf(ended),
  };
}

export function linkOf({ buildId, projectId, environmentId, serviceId }: ToldBuild): NotificationLink {
  return { type: 'build', buildId, projectId, environmentId, serviceId };
}
