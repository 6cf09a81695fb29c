import type { NotificationMessage } from '../notifications.ts';

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
export function deedOf(kind: RequestedApproval['kind'], service = 'a service', environment: string): string {
  if (kind === 'change-set') return `apply a change set to ${environment}`;
  return `${verbs[kind]} ${service} to ${environment}`;
}
