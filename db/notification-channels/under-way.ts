import { sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { lookAgain } from '../../domain/actors/look-again.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';

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
