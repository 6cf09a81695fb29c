import { type Kysely, sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import type { ChannelKind } from '../../domain/notifications/channels.ts';
import type { NotificationKind, NotificationMessage } from '../../domain/notifications/notifications.ts';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import { mostQueued, startDeliveries } from './start-deliveries.ts';

/** The thing that is wrong: of it there is one incident at a time. */
export type IncidentSubject = `deployments of ${string} in ${string}` | `cluster ${string}`;

export interface ChannelEvent {
  organizationId: string;
  /** Told again, it reaches no channel twice. */
  occasion: string;
  message: NotificationMessage;
  /** Whether chats hear of it. */
  chat: boolean;
  /** Channels that have subscribed to this kind hear of it, too. */
  alsoOf?: NotificationKind;
  /** Whether pagers open an incident, and about what. */
  incident?: IncidentSubject;
}

/** Sends an event on its way to the channels that are enabled and have subscribed to its kind. */
export async function tellChannels(effect: Effect, event: ChannelEvent): Promise<void> {
  const { organizationId, chat, incident, alsoOf = event.message.kind } = event;
  if (!chat && incident === undefined) return;
  for (const { id, kind } of await lockListening(effect.kysely, organizationId, [event.message.kind, alsoOf])) {
    if (kind === 'chat_webhook' && chat) await queue(effect, id, event);
    if (kind === 'incident_pager' && incident !== undefined) await open(effect, id, event, incident);
  }
}

/** What was wrong is well again: the pagers that know of it are told so, whatever they have subscribed to by now. */
export async function resolveIncidents(
  effect: Effect,
  organizationId: string,
  subject: IncidentSubject,
): Promise<void> {
  // Channels before their incidents, as everybody locks them.
  await sql`
    select from notification_channel where organization_id = ${organizationId} and id in (
      select notification_channel_id from incident
      where organization_id = ${organizationId} and subject = ${subject} and resolved_at is null and finished_at is null)
    order by id for key share
  `.execute(effect.kysely);
  const { rows } = await sql<{ id: string; channelId: string }>`
    update incident set resolved_at = clock_timestamp()
    where organization_id = ${organizationId} and subject = ${subject} and resolved_at is null and finished_at is null
    returning id, notification_channel_id as "channelId"
  `.execute(effect.kysely);
  for (const { id, channelId } of rows) {
    effect.tell({ to: actorId('incident', id), message: 'resolved', organizationId, body: {} });
    effect.change({ organizationId, kind: 'notification_channel', id: channelId });
  }
}

/**
 * Kept from being disabled or deleted until the event is on its way: what was queued after the others were dropped would be sent
 * once the channel is enabled again. Attempts, which write to the channel, are not kept waiting.
 */
async function lockListening(
  kysely: Kysely<Tables>,
  organizationId: string,
  kinds: readonly NotificationKind[],
): Promise<{ id: string; kind: ChannelKind }[]> {
  const { rows } = await sql<{ id: string; kind: ChannelKind }>`
    select id, kind from notification_channel
    where organization_id = ${organizationId} and enabled and deleted_at is null and events ?| ${kinds}::text[]
    order by id for key share
  `.execute(kysely);
  return rows;
}

async function queue(
  effect: Effect,
  channelId: string,
  { organizationId, occasion, message }: ChannelEvent,
): Promise<void> {
  await sql`
    insert into queued_delivery (id, organization_id, notification_channel_id, occasion, kind, title, body, link)
    select gen_random_uuid(), ${organizationId}, ${channelId}, ${occasion}, ${message.kind}, ${message.title}, ${message.body},
      ${JSON.stringify(message.link)}::jsonb
    where not exists (
      select from queued_delivery where organization_id = ${organizationId} and notification_channel_id = ${channelId}
      offset ${mostQueued - 1})
    on conflict (notification_channel_id, occasion) do nothing
  `.execute(effect.kysely);
  await startDeliveries(effect, organizationId, channelId);
  effect.change({ organizationId, kind: 'notification_channel', id: channelId });
}

async function open(
  effect: Effect,
  channelId: string,
  { organizationId, occasion, message }: ChannelEvent,
  subject: IncidentSubject,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    insert into incident (id, organization_id, notification_channel_id, subject, occasion, kind, title, body, link)
    values (gen_random_uuid(), ${organizationId}, ${channelId}, ${subject}, ${occasion}, ${message.kind}, ${message.title},
      ${message.body}, ${JSON.stringify(message.link)}::jsonb)
    on conflict do nothing
    returning id
  `.execute(effect.kysely);
  for (const { id } of rows) effect.tell({ start: 'incident', id, organizationId });
  effect.change({ organizationId, kind: 'notification_channel', id: channelId });
}
