import { sql } from 'kysely';
import { type Author, type Effect, effect } from '../engine/effect.ts';
import type { Database } from '../postgres/database.ts';

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
