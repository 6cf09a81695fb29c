import { type Kysely, sql } from 'kysely';
import { incidentStates } from '../../workflows/incident/descriptor.ts';
import { notificationDeliveryStates } from '../../workflows/notification-delivery/descriptor.ts';
import { type BrokenSource, brokenColumns } from '../attention/broken.ts';
import type { Page } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';

/** Those of messages and of incidents, and `queued` before either has begun. */
export const deliveryStates = [...new Set(['queued', ...notificationDeliveryStates, ...incidentStates] as const)];
type DeliveryState = (typeof deliveryStates)[number];

interface DeliveryView {
  id: string;
  kind: 'message' | 'incident';
  title: string;
  state: DeliveryState;
  attempts: number;
  lastError: string | null;
  nextAttemptAt: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
}

/** What is on its way to a channel, and what was sent to it, newest first. */
export async function listDeliveries(
  kysely: Kysely<Tables>,
  organizationId: string,
  channelId: string,
  { limit, after }: Page,
): Promise<DeliveryView[]> {
  const ofChannel = sql`organization_id = ${organizationId} and notification_channel_id = ${channelId}`;
  const page = sql`${after === undefined ? sql`` : sql`and (created_at, id) < (${after.createdAt}, ${after.id}::uuid)`}
    order by created_at desc, id desc limit ${limit}`;
  const { rows } = await sql<DeliveryView>`
    /* organization_id is said in ofChannel */ select * from (
      (select id, 'message' as kind, title, 'queued' as state, 0 as attempts, null as "lastError",
          null::timestamptz as "nextAttemptAt", created_at as "createdAt", null::timestamptz as "finishedAt"
        from queued_delivery where ${ofChannel} ${page})
      union all
      (select id, 'message', title, state, attempts, message, next_attempt_at, created_at, finished_at
        from delivery where ${ofChannel} ${page})
      union all
      (select id, 'incident', title, state, attempts, message, next_attempt_at, created_at, finished_at
        from incident where ${ofChannel} ${page})
    ) as sent
    order by "createdAt" desc, id desc limit ${limit}
  `.execute(kysely);
  return rows;
}

/** Channels to which messages cannot be delivered: what is told there reaches nobody. */
export const brokenChannels: readonly BrokenSource[] = [
  {
    role: 'admin',
    select: (organizationId) => sql`
      select ${brokenColumns(sql`35`, sql`'notification-channel.failing'`, sql`channel.id`, {
        name: sql`channel.label`,
        channelId: sql`channel.id`,
        detail: sql`channel.last_error`,
      })}
      from notification_channel channel
      where channel.organization_id = ${organizationId} and channel.enabled and channel.deleted_at is null
        and channel.last_error is not null`,
  },
];
