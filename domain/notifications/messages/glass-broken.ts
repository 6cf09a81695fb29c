import type { NotificationMessage } from '../notifications.ts';
import { deedOf, type RequestedApproval } from './approval-requested.ts';

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
