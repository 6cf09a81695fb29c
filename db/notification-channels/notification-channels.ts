import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { NotificationKind } from '../../domain/notifications/notifications.ts';
import { type ChannelKind, hintOf } from '../../domain/notifications/notifications.ts';
import { fullSentence } from '../../domain/notifications/retries.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { dropDeliveries, mostQueued, tryAgain } from './tell-channels.ts';

export interface NotificationChannelView {
  id: string;
  kind: ChannelKind;
  label: string;
  hint: string;
  events: NotificationKind[];
  enabled: boolean;
  lastError: string | null;
  lastDeliveredAt: Date | null;
  createdAt: Date;
  /** Messages on their way, and those of them of which an attempt has failed. */
  pending: number;
  retrying: number;
  /** The earliest attempt of one that is retried. */
  nextAttemptAt: Date | null;
}

export type Sealing = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;

interface NewChannel {
  kind: ChannelKind;
  label: string;
  events: readonly NotificationKind[];
  secret: string;
}

export async function createNotificationChannel(
  effect: Effect,
  keyring: Sealing,
  organizationId: string,
  { kind, label, events, secret }: NewChannel,
): Promise<NotificationChannelView> {
  const id = uuid();
  await tenant(effect.kysely, organizationId)
    .insertInto('notification_channel')
    .values({
      ...{ id, kind, label, events: asJson(events), hint: hintOf(kind, secret) },
      sealed: await keyring.encryptSecret(organizationId, sealedPlace(id), secret),
    })
    .execute();
  record(effect, organizationId, 'created', { id, label }, { kind, events: [...events] });
  return await written(effect, organizationId, id);
}

export interface ChannelChanges {
  label?: string | undefined;
  events?: readonly NotificationKind[] | undefined;
  enabled?: boolean | undefined;
  /** A new one is tried at once with all that could not be delivered. */
  secret?: string | undefined;
}

/** `before`: read under its lock. */
export async function updateNotificationChannel(
  effect: Effect,
  keyring: Sealing,
  organizationId: string,
  before: NotificationChannelView,
  { label, events, enabled, secret }: ChannelChanges,
): Promise<NotificationChannelView> {
  const { id, kind } = before;
  const changed = changesOf(before, { label, events, enabled });
  if (secret !== undefined) changed.secret = 'replaced';
  if (Object.keys(changed).length === 0) return before;
  await tenant(effect.kysely, organizationId)
    .updateTable('notification_channel')
    .set({
      ...(label === undefined ? {} : { label }),
      ...(events === undefined ? {} : { events: asJson(events) }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(secret === undefined
        ? {}
        : {
            sealed: await keyring.encryptSecret(organizationId, sealedPlace(id), secret),
            hint: hintOf(kind, secret),
            last_error: null,
          }),
    })
    .where('id', '=', id)
    .execute();
  if (enabled === false) await dropDeliveries(effect, organizationId, id, 'disabled');
  else if (secret !== undefined) await tryAgain(effect, organizationId, id);
  record(effect, organizationId, 'updated', { id, label: label ?? before.label }, changed);
  return await written(effect, organizationId, id);
}

/** Under its lock. The row stays as long as the records of its deliveries, without its secret. */
export async function deleteNotificationChannel(
  effect: Effect,
  organizationId: string,
  { id, label }: { id: string; label: string },
): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('notification_channel')
    .set({ deleted_at: sql`now()`, enabled: false, sealed: null, hint: '' })
    .where('id', '=', id)
    .execute();
  await dropDeliveries(effect, organizationId, id, 'deleted');
  record(effect, organizationId, 'deleted', { id, label });
}

export async function findNotificationChannel(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<NotificationChannelView | undefined> {
  const [channel] = await channels(kysely, organizationId, id);
  return channel;
}

/** Oldest first. */
export async function listNotificationChannels(
  kysely: Kysely<Tables>,
  organizationId: string,
): Promise<NotificationChannelView[]> {
  return await channels(kysely, organizationId);
}

/**
 * Kept as it is until the effect ends: nobody queues anything for it, or writes down an attempt. Before the rows of its deliveries,
 * as everybody locks them.
 */
export async function lockNotificationChannel({ kysely }: Effect, organizationId: string, id: string): Promise<void> {
  await tenant(kysely, organizationId)
    .selectFrom('notification_channel')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .execute();
}

/** Its secret; none once it is deleted. */
export async function secretOf(
  kysely: Kysely<Tables>,
  keyring: Sealing,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('notification_channel')
    .select('sealed')
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined || row.sealed === null) return undefined;
  return await keyring.decryptSecret(organizationId, sealedPlace(id), row.sealed);
}

/**
 * The outcome of an attempt, as the channel shows it. Under the channel's lock, taken by a statement of its own: of two that
 * arrive at once the second must see that the first is retried no more.
 */
export async function noteAttempt(
  effect: Effect,
  organizationId: string,
  id: string,
  outcome: 'delivered' | { error: string },
): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('notification_channel')
    .set(
      outcome === 'delivered'
        ? {
            last_delivered_at: sql`clock_timestamp()`,
            last_error: sql`case when exists (
              select from delivery where notification_channel_id = ${id} and finished_at is null and attempts > 0
              union all
              select from incident where notification_channel_id = ${id} and finished_at is null and attempts > 0
            ) then last_error end`,
          }
        : { last_error: outcome.error },
    )
    .where('id', '=', id)
    .execute();
  effect.change({ organizationId, kind: 'notification_channel', id });
}

/** Everything that waits for a next attempt is tried at once; answers how many messages. */
export async function retryDeliveries(
  effect: Effect,
  organizationId: string,
  channel: { id: string; label: string },
): Promise<number> {
  const retried = await tryAgain(effect, organizationId, channel.id);
  if (retried > 0) record(effect, organizationId, 'retried', channel, { messages: retried });
  return retried;
}

/** Somebody has sent a message of no meaning, to see whether it arrives. */
export async function noteTest(
  effect: Effect,
  organizationId: string,
  channel: { id: string; label: string },
  outcome: 'delivered' | { error: string },
): Promise<void> {
  await lockNotificationChannel(effect, organizationId, channel.id);
  await noteAttempt(effect, organizationId, channel.id, outcome);
  record(effect, organizationId, 'tested', channel, { delivered: outcome === 'delivered' });
}

async function channels(
  kysely: Kysely<Tables>,
  organizationId: string,
  id?: string,
): Promise<NotificationChannelView[]> {
  const { rows } = await sql<NotificationChannelView>`
    select channel.id, channel.kind, channel.label, channel.hint, channel.events, channel.enabled,
      case when waiting.pending < ${mostQueued} then channel.last_error
        else concat_ws(' ', channel.last_error, ${fullSentence(mostQueued)}::text) end as "lastError", channel.last_delivered_at as "lastDeliveredAt", channel.created_at as "createdAt",
      (delivering.pending + reporting.pending + waiting.pending)::int as pending,
      (delivering.retrying + reporting.retrying)::int as retrying,
      least(delivering.next, reporting.next) as "nextAttemptAt"
    from notification_channel channel
    cross join lateral (
      select count(*) as pending, count(*) filter (where state = 'retrying') as retrying, min(next_attempt_at) as next
      from delivery where notification_channel_id = channel.id and finished_at is null
    ) as delivering
    cross join lateral (
      select count(*) as pending, count(*) filter (where attempts > 0) as retrying, min(next_attempt_at) as next
      from incident where notification_channel_id = channel.id and finished_at is null and state <> 'open'
    ) as reporting
    cross join lateral (
      select count(*) as pending from queued_delivery
      where organization_id = channel.organization_id and notification_channel_id = channel.id
    ) as waiting
    where channel.organization_id = ${organizationId} and channel.deleted_at is null
      ${id === undefined ? sql`` : sql`and channel.id = ${id}`}
    order by channel.created_at, channel.id
  `.execute(kysely);
  return rows;
}

async function written(effect: Effect, organizationId: string, id: string): Promise<NotificationChannelView> {
  const channel = await findNotificationChannel(effect.kysely, organizationId, id);
  if (channel === undefined) throw new Error(`The notification channel ${id} that was just written is not there.`);
  return channel;
}

function changesOf(before: NotificationChannelView, after: Omit<ChannelChanges, 'secret'>): JsonObject {
  const changed: JsonObject = {};
  for (const field of ['label', 'events', 'enabled'] as const) {
    const [from, to] = [before[field], after[field]];
    if (to === undefined || JSON.stringify(from) === JSON.stringify(to)) continue;
    changed[field] = { from, to: Array.isArray(to) ? [...to] : (to as string | boolean) };
  }
  return changed;
}

function record(
  effect: Effect,
  organizationId: string,
  deed: 'created' | 'updated' | 'deleted' | 'tested' | 'retried',
  { id, label }: { id: string; label: string },
  details: JsonObject = {},
): void {
  effect.audit(`notification_channel.${deed}`, { organizationId, id, name: label }, details);
  effect.change({ organizationId, kind: 'notification_channel', id });
}

function asJson(events: readonly NotificationKind[]) {
  return sql<NotificationKind[]>`${JSON.stringify(events)}::jsonb`;
}

export function sealedPlace(id: string): string {
  return `notification_channel:${id}:sealed`;
}
