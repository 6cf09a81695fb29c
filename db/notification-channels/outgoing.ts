import { type Kysely, sql } from 'kysely';
import type { ChannelKind, NotificationMessage } from '../../domain/notifications/notifications.ts';
import type { Tables } from '../postgres/tables.ts';

/** The kinds of actors that tell a channel something, and their tables. */
const tables = { 'notification-delivery': 'delivery', incident: 'incident' } as const;
export type OutgoingKind = keyof typeof tables;

/** The row of such an actor, and its channel as it is now. */
export interface Outgoing {
  state: string;
  revision: number;
  finished: boolean;
  attempts: number;
  /** Until the next attempt, in milliseconds; null: none is set. */
  waitMillis: number | null;
  error: string | null;
  /** Of an incident. */
  resolved: boolean;
  message: NotificationMessage;
  organization: { slug: string; deleted: boolean };
  channel: {
    id: string;
    kind: ChannelKind;
    enabled: boolean;
    deleted: boolean;
    failing: boolean;
    /** Another one for each secret. */
    secretVersion: string | null;
  };
}

/** What an attempt amounts to. */
export interface Outcome {
  state: string;
  /** The state is final. */
  over: boolean;
  attempts: number;
  /** Until the next attempt; null: none is set. */
  waitSeconds: number | null;
  error: string | null;
}

interface Ref {
  organizationId: string;
  id: string;
}

/** `locked`: until the transaction ends nobody else writes to the channel, or to the row. */
export async function outgoing(
  kysely: Kysely<Tables>,
  kind: OutgoingKind,
  { organizationId, id }: Ref,
  { locked = false } = {},
): Promise<Outgoing | undefined> {
  // A statement of its own, so that the ones after it see what the transaction before this one wrote of the channel.
  if (locked) {
    await sql`
      select from notification_channel where organization_id = ${organizationId} and id =
        (select notification_channel_id from ${sql.table(tables[kind])} where organization_id = ${organizationId} and id = ${id})
      for no key update
    `.execute(kysely);
  }
  const { rows } = await sql<Outgoing>`
    select ${columns(kind)},
      jsonb_build_object('slug', organization.slug, 'deleted', organization.deletion_id is not null) as organization,
      jsonb_build_object('id', channel.id, 'kind', channel.kind, 'enabled', channel.enabled,
        'deleted', channel.deleted_at is not null, 'failing', channel.last_error is not null, 'secretVersion', md5(channel.sealed)) as channel
    from ${sql.table(tables[kind])} as actor
    join notification_channel channel
      on channel.organization_id = actor.organization_id and channel.id = actor.notification_channel_id
    join organization on organization.id = actor.organization_id
    where actor.organization_id = ${organizationId} and actor.id = ${id}
    ${locked ? sql`for update of actor` : sql``}
  `.execute(kysely);
  return rows[0];
}

/** Into a row that is locked and not final. */
export async function writeOutgoing(
  kysely: Kysely<Tables>,
  kind: OutgoingKind,
  { organizationId, id }: Ref,
  { state, over, attempts, waitSeconds, error }: Outcome,
): Promise<Written> {
  const { rows } = await sql<Written>`
    update ${sql.table(tables[kind])} as actor set
      state = ${state}, revision = revision + 1, attempts = ${attempts}, message = ${error}, blocker = null,
      next_attempt_at = clock_timestamp() + make_interval(secs => ${waitSeconds}),
      finished_at = ${over ? sql`now()` : sql`null`}
    where organization_id = ${organizationId} and id = ${id} and finished_at is null
    returning ${columns(kind)}
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Error(`The ${kind} ${id} that was locked is final or not there.`);
  return row;
}

export type Written = Pick<Outgoing, 'state' | 'revision' | 'waitMillis' | 'error'>;

function columns(kind: OutgoingKind) {
  return sql`actor.state, actor.revision, actor.finished_at is not null as finished, actor.attempts,
    (extract(epoch from actor.next_attempt_at - clock_timestamp()) * 1000)::float8 as "waitMillis", actor.message as error,
    ${kind === 'incident' ? sql`actor.resolved_at is not null` : sql`false`} as resolved,
    jsonb_build_object('kind', actor.kind, 'title', actor.title, 'body', actor.body, 'link', actor.link) as message`;
}
