import type { NotificationLink, NotificationMessage } from '../notifications.ts';

export interface EndedDeployment {
  deploymentId: string;
  projectId: string;
  environmentId: string;
  environment: string;
  serviceId: string;
  service: string;
  releaseNumber: number;
  /** Why it failed, in a sentence; empty where nobody said. */
  reason: string;
}

export function deploymentFailed(ended: EndedDeployment): NotificationMessage {
  const { service, environment, releaseNumber, reason } = ended;
  const why = reason === '' ? 'The agent gave no reason.' : reason;
  return {
    kind: 'failure',
    title: `Release #${releaseNumber} of ${service} failed to deploy to ${environment}`,
    body: `${why} What was live before, if anything, goes on serving. Read the log of the instance that failed, then deploy again or roll back.`,
    link: linkOf(ended),
  };
}

/** `warning`: what visitors get instead of it, and what to do, in sentences. */
export function deploymentLive(ended: EndedDeployment & { warning?: string | undefined }): NotificationMessage {
  const { service, environment, releaseNumber, warning } = ended;
  const title = `Release #${releaseNumber} of ${service} is live in ${environment}`;
  const [body, link] = ['All of its instances are healthy, and only they serve.', linkOf(ended)];
  return warning === undefined
    ? { kind: 'deploy', title, body, link }
    : {
        kind: 'warning',
        title: `${title}, with a warning`,
        body: `${body} Visitors get something else: ${warning}`,
        link,
      };
}

function linkOf({ deploymentId, projectId, environmentId, serviceId }: EndedDeployment): NotificationLink {
  return { type: 'deployment', deploymentId, projectId, environmentId, serviceId };
}
