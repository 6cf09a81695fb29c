import { releaseText } from '../clusters/clusters.ts';
import { namedVariables } from '../deployments/unset-variables.ts';
import { type LoosenedGuard, loosenedTitle, looseningDays } from '../guards/guards.ts';
import type { NotificationLink, NotificationMessage } from './notifications.ts';

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

/** An approval that somebody asks for. */
export interface RequestedApproval {
  approvalId: string;
  projectId: string;
  environmentId: string;
  environment: string;
  /** Of one deployment; a change set has none. */
  service?: { id: string; name: string };
  kind: 'deploy' | 'rollback' | 'promote' | 'change-set';
  requestedBy: string;
  reason: string;
}

const verbs = { deploy: 'deploy', rollback: 'roll back', promote: 'promote' } as const;

export function approvalRequested(asked: RequestedApproval): NotificationMessage {
  const { approvalId, projectId, environmentId, environment, service, kind, requestedBy, reason } = asked;
  return {
    kind: 'approval',
    title: titleOf(kind, service?.name, environment),
    body: `${requestedBy} asks for an approval${reason === '' ? '.' : `: ${reason}`}`,
    link: {
      ...{ type: 'approval', approvalId, projectId, environmentId },
      ...(service === undefined ? {} : { serviceId: service.id }),
    },
  };
}

function titleOf(kind: RequestedApproval['kind'], service: string | undefined, environment: string): string {
  if (kind !== 'change-set' && service === undefined) return `Approval needed in ${environment}`;
  return `Approval needed: ${deedOf(kind, service, environment)}`;
}

/** "promote api to Production" */
function deedOf(kind: RequestedApproval['kind'], service = 'a service', environment: string): string {
  if (kind === 'change-set') return `apply a change set to ${environment}`;
  return `${verbs[kind]} ${service} to ${environment}`;
}

interface ToldBuild {
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
    link: linkOfBuild(ended),
  };
}

export function buildNotDeployed(ended: EndedBuild): NotificationMessage {
  const { number, service, environment, reason } = ended;
  return {
    kind: 'failure',
    title: `Build #${number} of ${service} for ${environment} built but not deployed`,
    body: `${reason}\nIts image is kept. Mend what hinders it, then deploy its release, or build again.`,
    link: linkOfBuild(ended),
  };
}

function linkOfBuild({ buildId, projectId, environmentId, serviceId }: ToldBuild): NotificationLink {
  return { type: 'build', buildId, projectId, environmentId, serviceId };
}

/** A build of production whose source nobody vouches for. */
interface AwaitingBuild extends ToldBuild {
  requestedBy: string;
  /** A commit with its repository; empty: a folder that was uploaded. */
  commit: string;
  /** The names of what it would be given. */
  variables: readonly string[];
}

export function buildAwaitsApproval(build: AwaitingBuild): NotificationMessage {
  const { number, service, environment, requestedBy, commit, variables } = build;
  const source = commit === '' ? 'a folder' : commit;
  return {
    kind: 'approval',
    title: `Approval needed: build #${number} of ${service} for ${environment}`,
    body: `${requestedBy} asks to build ${source}, which is not the head of the connected branch. Its commands would see ${namedVariables(variables)}.`,
    link: linkOfBuild(build),
  };
}

export interface FailedBackup {
  id: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  environmentName: string;
  serviceName: string;
  volumeName: string;
  /** Why, in a sentence that says what to do. */
  reason: string;
}

export function backupFailed(failed: FailedBackup): NotificationMessage {
  const { id: volumeBackupId, projectId, environmentId, serviceId, reason } = failed;
  return {
    kind: 'failure',
    title: `Backup of ${failed.volumeName} (${failed.serviceName}, ${failed.environmentName}) failed`,
    body: `${reason} Backups from before are kept.`,
    link: { type: 'volume_backup', volumeBackupId, projectId, environmentId, serviceId },
  };
}

/** The message by which somebody sees that a channel works. No link of its own: the sender adds that of the channels' page. */
export function channelTest({ organization, label }: { organization: string; label: string }) {
  return {
    kind: 'deploy' as const,
    title: `Test of the channel ${label}`,
    body: `Notifications of ${organization} arrive here.`,
  };
}

export function clusterLost({ clusterId, name }: { clusterId: string; name: string }): NotificationMessage {
  return {
    kind: 'warning',
    title: `Cluster ${name} lost contact with its agent`,
    body: 'What runs there goes on running, as far as is known, but nothing can be changed. Check the machine, its network and the agent on it.',
    link: { type: 'cluster', clusterId },
  };
}

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
    link: linkOfDeployment(ended),
  };
}

/** `warning`: what visitors get instead of it, and what to do, in sentences. */
export function deploymentLive(ended: EndedDeployment & { warning?: string | undefined }): NotificationMessage {
  const { service, environment, releaseNumber, warning } = ended;
  const title = `Release #${releaseNumber} of ${service} is live in ${environment}`;
  const [body, link] = ['All of its instances are healthy, and only they serve.', linkOfDeployment(ended)];
  return warning === undefined
    ? { kind: 'deploy', title, body, link }
    : {
        kind: 'warning',
        title: `${title}, with a warning`,
        body: `${body} Visitors get something else: ${warning}`,
        link,
      };
}

function linkOfDeployment({ deploymentId, projectId, environmentId, serviceId }: EndedDeployment): NotificationLink {
  return { type: 'deployment', deploymentId, projectId, environmentId, serviceId };
}

/** An approval that an owner passed in place of somebody else. */
export interface BrokenGlass extends RequestedApproval {
  brokenBy: string;
}

export function glassBroken(broken: BrokenGlass): NotificationMessage {
  const { approvalId, projectId, environmentId, environment, service, kind, requestedBy, brokenBy, reason } = broken;
  return {
    kind: 'approval',
    title: `Break-glass: ${deedOf(kind, service?.name, environment)} without an approval`,
    body: `${brokenBy} passed what ${requestedBy} requested, in place of another administrator or owner: ${reason}`,
    link: {
      ...{ type: 'approval', approvalId, projectId, environmentId },
      ...(service === undefined ? {} : { serviceId: service.id }),
    },
  };
}

/** A guard of production was loosened, which waits for nobody's approval. */
export function guardLoosened({
  id,
  by,
  ...loosened
}: LoosenedGuard & { id: string; by: string }): NotificationMessage {
  return {
    kind: 'approval',
    title: loosenedTitle(loosened),
    body: `By ${by}, at once and without an approval. For ${looseningDays} days the first page of the console shows it with what is deployed meanwhile, and undoes it; so does "./ballast guard undo ${id}".`,
    link: { type: 'guard', guardLooseningId: id },
  };
}
