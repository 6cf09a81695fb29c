import { sql } from 'kysely';
import { type BrokenSource, brokenColumns } from '../attention/broken.ts';

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
