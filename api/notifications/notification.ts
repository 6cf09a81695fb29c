import { z } from 'zod';
import type { Inbox, NotificationView } from '../../db/notifications/notifications.ts';
import { linkTypes, notificationKinds } from '../../domain/notifications/notifications.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

const id = z.string().optional();

export const notificationSchema = z
  .object({
    id: z.string(),
    kind: z.enum(notificationKinds),
    title: z.string(),
    body: z.string(),
    link: z.object({
      type: z.enum(linkTypes).describe('The kind of its subject, whose page it opens.'),
      ...{
        approvalId: id,
        buildId: id,
        clusterId: id,
        deploymentId: id,
        environmentId: id,
        guardLooseningId: id,
        projectId: id,
        serviceId: id,
      },
      tab: z.string().optional(),
    }),
    createdAt: z.iso.datetime(),
    readAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Notification' });

export function notificationAnswer({
  createdAt,
  readAt,
  ...view
}: NotificationView): z.output<typeof notificationSchema> {
  return {
    ...view,
    createdAt: createdAt.toISOString(),
    ...(readAt === null ? {} : { readAt: readAt.toISOString() }),
  };
}

export const inboxIsPersonal =
  'An API token has no inbox of notifications: sign in to the console, or let a channel deliver them.';

export function inboxOf({ organization, userId }: OrganizationCaller): Inbox {
  if (userId === undefined) throw new Problem('session-required', inboxIsPersonal);
  return { organizationId: organization.id, userId };
}
