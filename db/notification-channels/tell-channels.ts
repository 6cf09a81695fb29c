import { type Kysely, sql } from 'kysely';
import { actorId, lookAgain } from '../../domain/actors/actors.ts';
import type { ChannelKind, NotificationKind, NotificationMessage } from '../../domain/notifications/notifications.ts';
import { type Author, type Effect, effect } from '../engine/effect.ts';
import type { Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** Deliveries of one channel that are under way at a time. The others wait as rows, which cost nothing. */
export const mostUnderWay = 100;

/** Those of one channel that wait. Newer ones are left out: inboxes have them. */
export const mostQueued = 10_000;

const most = 100;
const author: Author = { kind: 'machine', id: 'sweeper', name: 'sweeper' };

/** Starts the oldest deliveries of a channel that wait, as far as there is room. Called wherever one begins to wait or one ends. */
export async function startDeliveries(effect: Effect, organizationId: string, channelId: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    with room as (
      select greatest(0, ${mostUnderWay} - count(*)) as places from delivery
      where notification_channel_id = ${channelId} and finished_at is null
    ), next as (
      delete from queued_delivery where id in (
        select id from queued_delivery
        where organization_id = ${organizationId} and notification_channel_id = ${channelId}
        order by created_at, id limit (select places from room)
        for update skip locked
      )
      returning *
    )
    insert into delivery
      (id, organization_id, notification_channel_id, occasion, kind, title, body, link, created_at)
    select id, organization_id, notification_channel_id, occasion, kind, title, body, link, created_at from next
    on conflict (notification_channel_id, occasion) do nothing
    returning id
  `.execute(effect.kysely);
  for (const { id } of rows) effect.tell({ start: 'notification-delivery', id, organizationId });
  return rows.length;
}

/**
 * The net beneath: of two transactions of which one ends the last delivery under way and the other lets one wait, neither sees
 * what the other does.
 */
export async function startForgottenDeliveries(database: Database): Promise<number> {
  const { rows } = await sql<{ id: string; organizationId: string }>`
    select channel.id, channel.organization_id as "organizationId" from notification_channel channel -- across tenants
    join organization on organization.id = channel.organization_id and organization.deletion_id is null
    where exists (
        select from queued_delivery waiting
        where waiting.organization_id = channel.organization_id and waiting.notification_channel_id = channel.id
      )
      and (
        select count(*) from delivery where notification_channel_id = channel.id and finished_at is null
      ) < ${mostUnderWay}
    limit ${most}
  `.execute(database.kysely);
  let started = 0;
  for (const { id, organizationId } of rows) {
    started += await effect(database, author, (starting) => startDeliveries(starting, organizationId, id));
  }
  return started;
}

/** Everything that waits for a next attempt is tried at once; answers how many messages. */
export async function tryAgain(effect: Effect, organizationId: string, id: string): Promise<number> {
  const { rows } = await sql<{ kind: 'notification-delivery' | 'incident'; id: string }>`
    select 'notification-delivery' as kind, id from delivery
    where organization_id = ${organizationId} and notification_channel_id = ${id} and state = 'retrying'
    union all
    select 'incident', id from incident
    where organization_id = ${organizationId} and notification_channel_id = ${id} and finished_at is null and attempts > 0
      and state <> 'open'
  `.execute(effect.kysely);
  for (const row of rows) {
    effect.tell({ to: actorId(row.kind, row.id), message: 'tryAgain', organizationId, body: {} });
  }
  return rows.length;
}

/** Drops all that is on its way to a channel that is locked. An incident that is open stays, unless its channel is deleted: its resolve may still go out. */
export async function dropDeliveries(
  effect: Effect,
  organizationId: string,
  id: string,
  what: 'disabled' | 'deleted',
): Promise<void> {
  const message = `The channel was ${what}.`;
  await tenant(effect.kysely, organizationId)
    .deleteFrom('queued_delivery')
    .where('notification_channel_id', '=', id)
    .execute();
  const dropped = sql`state = 'dropped', revision = revision + 1, finished_at = now(), next_attempt_at = null,
    blocker = null, message = ${message}`;
  const { rows } = await sql<{ kind: 'notification-delivery' | 'incident'; id: string }>`
    with deliveries as (
      update delivery set ${dropped}
      where organization_id = ${organizationId} and notification_channel_id = ${id} and finished_at is null
      returning id
    ), incidents as (
      update incident set ${dropped}
      where organization_id = ${organizationId} and notification_channel_id = ${id} and finished_at is null
        and (state <> 'open' or ${what === 'deleted'})
      returning id
    )
    select 'notification-delivery' as kind, id from deliveries union all select 'incident', id from incidents
  `.execute(effect.kysely);
  for (const row of rows) {
    effect.tell({ to: actorId(row.kind, row.id), message: lookAgain, organizationId, body: {} });
  }
}

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
