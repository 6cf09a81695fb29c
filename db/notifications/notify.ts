import { sql } from 'kysely';
import type { NotificationMessage } from '../../domain/notifications/notifications.ts';
import { everyAdmin } from '../../domain/subjects.ts';
import type { Author, Effect } from '../engine/effect.ts';
import { type ChannelEvent, tellChannels } from '../notification-channels/tell-channels.ts';

/** Somebody who asked for something. A token counts as who made it; a machine or an actor is nobody in person. */
export type Requester = Pick<Author, 'kind' | 'id'>;

export interface Recipients {
  requester?: Requester;
  /** All admins and owners, or those among them. */
  admins?: true | readonly string[];
  /** Knows of it already. */
  except?: Requester;
}

export interface NotificationContent {
  organizationId: string;
  /** The event, as in `deployment <id> failed`: told again, it is in nobody's inbox twice. */
  occasion: string;
  message: NotificationMessage;
  to: Recipients;
  /** Who outside of Ballast hears of it; by default nobody. */
  channels?: Pick<ChannelEvent, 'chat' | 'alsoOf' | 'incident'>;
}

/** Puts an event into the inboxes of those whom it concerns, members of the organization at that moment, and tells channels. */
export async function notify(
  effect: Effect,
  { organizationId, occasion, message, to, channels }: NotificationContent,
): Promise<void> {
  const { kind, title, body, link } = message;
  // As text: an id may be of any form, and a notification must never stand in the way of what it tells.
  const person = ({ kind: of, id }: Requester) =>
    of === 'user'
      ? sql`${id}::text`
      : sql`(select maker_id::text from api_token
            where ${of}::text = 'token' and api_token.organization_id = ${organizationId} and api_token.id::text = ${id})`;
  const requester = to.requester === undefined ? sql`null` : person(to.requester);
  const except = to.except === undefined ? sql`null` : person(to.except);
  const { admins = [] } = to;
  const chosen = admins === true ? sql`true` : sql`membership.user_id::text = any(${admins}::text[])`;
  const { rows } = await sql<{ userId: string; admin: boolean }>`
    with entry as (
    insert into notification (id, organization_id, user_id, kind, occasion, title, body, link)
    select gen_random_uuid(), membership.organization_id, membership.user_id, ${kind}, ${occasion}, ${title}, ${body},
           ${JSON.stringify(link)}::jsonb
    from membership join app_user on app_user.id = membership.user_id
    where membership.organization_id = ${organizationId} and app_user.disabled_at is null
      and (membership.user_id::text = ${requester} or ${chosen} and membership.role in ('admin', 'owner'))
      and membership.user_id::text is distinct from ${except}
    on conflict (organization_id, user_id, occasion) do nothing
    returning organization_id, user_id)
    select user_id as "userId", role in ('admin', 'owner') as admin
    from entry join membership using (organization_id, user_id)
  `.execute(effect.kysely);
  tellInboxes(effect, organizationId, rows);
  if (channels !== undefined) await tellChannels(effect, { organizationId, occasion, message, ...channels });
}

/**
 * A hint for each person, and one for all admins together: after a burst of events the feed would hold more hints than
 * anything else. An admin who is not among them fetches the inbox once in vain.
 */
function tellInboxes(
  effect: Effect,
  organizationId: string,
  told: readonly { userId: string; admin: boolean }[],
): void {
  const together = told.filter(({ admin }) => admin).length > 1;
  const ids = told.flatMap(({ userId, admin }) => (together && admin ? [] : [userId]));
  for (const id of together ? [...ids, everyAdmin] : ids) effect.change({ organizationId, kind: 'notification', id });
}
