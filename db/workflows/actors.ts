import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnOf } from '../../domain/actors/belongs-to.ts';
import { type ActorKind, actorKinds, descriptors } from '../../workflows/descriptors.ts';
import type { Tables } from '../postgres/tables.ts';

/** An actor as its row shows it. */
export interface ActorView {
  id: string;
  kind: ActorKind;
  /** Of what it is about: its cluster, its organization. */
  name: string;
  subjectId: string;
  state: string;
  stuck: boolean;
  /** Why it is stuck although it does not say so itself. */
  delay: 'undelivered' | 'overdue' | null;
  blocker: string | null;
  message: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  /** When all of its history had come into the archive. */
  archivedAt: Date | null;
}

/** 0: stuck; 1: open; 2: over. */
export interface ActorPosition {
  rank: number;
  createdAt: Date;
  id: string;
}

export interface ActorsWanted {
  kind?: ActorKind | undefined;
  open?: boolean | undefined;
  /** Only what is stuck. */
  stuck?: boolean | undefined;
  limit: number;
  after?: ActorPosition | undefined;
}

/**
 * The actors of an organization: stuck ones, then open ones, then those that are over; of each the newest first. What is
 * over may be much, and is read along its index; what is open is as much as there are clusters.
 */
export async function listActors(
  kysely: Kysely<Tables>,
  organizationId: string,
  wanted: ActorsWanted,
): Promise<(ActorView & ActorPosition)[]> {
  const { kind, open, stuck = false, limit, after } = wanted;
  const of = kind === undefined ? actorKinds : [kind];
  const branches: RawBuilder<unknown>[] = [];
  if (open !== false && (after === undefined || after.rank < 2)) {
    const rows = union(of.map((one) => openRows(one, organizationId)));
    branches.push(sql`
      select * from (${rows}) as opened
      where ${stuck ? sql`rank = 0` : sql`true`} and ${behind(after)}
      order by rank, "createdAt" desc, id desc
      limit ${limit}
    `);
  }
  if (open !== true && !stuck) {
    const from = after?.rank === 2 ? after : undefined;
    branches.push(...of.map((one) => overRows(one, organizationId, limit, from)));
  }
  if (branches.length === 0) return [];
  const { rows } = await sql<ActorView & ActorPosition>`
    select * from (${union(branches)}) as actors order by rank, "createdAt" desc, id desc limit ${limit}
  `.execute(kysely);
  return rows;
}

/** The actor of that row, if it is the organization's. */
export async function findActor(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ActorView | undefined> {
  const own = sql`actor.organization_id = ${organizationId} and actor.id = ${id}`;
  const of = actorKinds.flatMap((kind) => [
    openRows(kind, organizationId, own),
    sql`select ${columns(kind)}, ${over} from ${rowsOf(kind)} where ${own} and actor.finished_at is not null`,
  ]);
  const { rows } = await sql<ActorView>`select * from (${union(of)}) as actors limit 1`.execute(kysely);
  return rows[0];
}

/** An actor of a deleted organization as a person may read it who owns that organization, or who requested the actor. */
export async function findActorOfPerson(
  kysely: Kysely<Tables>,
  userId: string,
  id: string,
): Promise<(ActorView & { requireMfa: boolean }) | undefined> {
  const of = actorKinds
    .filter((kind) => descriptors[kind].readByRequester)
    .map(
      (kind) => sql`
        select ${columns(kind)}, ${over}, coalesce(organization.require_mfa, false) as "requireMfa"
        from ${rowsOf(kind)}
        left join organization on organization.id = actor.organization_id
        where actor.id = ${id} and (
          (actor.requested_by_kind = 'user' and actor.requested_by_id = ${userId})
          or exists (
            select from membership
            where membership.organization_id = actor.organization_id
              and membership.user_id = ${userId} and membership.role = 'owner'))
      `,
    );
  const { rows } = await sql<ActorView & { requireMfa: boolean }>`
    select * from (${union(of)}) as actors limit 1
  `.execute(kysely);
  return rows[0];
}

/** An entry that has waited for a minute is more than merely in flight: see db/engine/outbox.ts. */
function openRows(kind: ActorKind, organizationId: string, which = sql`actor.organization_id = ${organizationId}`) {
  const { table, row } = descriptors[kind];
  return sql`
    select ${columns(kind)},
      case when actor.blocker is null and actor.delay is null then 1 else 0 end as rank,
      actor.blocker is not null or actor.delay is not null as stuck, actor.delay
    from (
      select actor.*, case when oldest.created_at < now() - interval '1 minute' then 'undelivered' when ${sql.raw(row.overdue)} then 'overdue' end as delay
      from ${sql.table(table)} as actor
      left join lateral (
        select created_at from outbox where actor_id = ${`${kind}/`}::text || actor.id::text order by id limit 1
      ) as oldest on true
      where ${which} and actor.finished_at is null
    ) as actor ${joinOf(kind)}
  `;
}

/** Named only once the page is cut out: the table may be long. */
function overRows(kind: ActorKind, organizationId: string, limit: number, after: ActorPosition | undefined) {
  const from = after && sql`and (actor.created_at, actor.id) < (${after.createdAt}, ${after.id}::uuid)`;
  return sql`
    select ${columns(kind)}, ${over}
    from (
      select actor.* from ${sql.table(descriptors[kind].table)} as actor
      where actor.organization_id = ${organizationId} and actor.finished_at is not null ${from ?? sql``}
      order by actor.created_at desc, actor.id desc
      limit ${limit}
    ) as actor ${joinOf(kind)}
  `;
}

const over = sql`2 as rank, false as stuck, null::text as delay`;

function columns(kind: ActorKind): RawBuilder<unknown> {
  const { belongsTo, row } = descriptors[kind];
  const { name, subjectId = belongsTo === null ? 'actor.id' : `actor.${columnOf(belongsTo)}` } = row;
  return sql`
    actor.id, ${kind}::text as kind, ${sql.raw(name)} as name, ${sql.raw(subjectId)} as "subjectId", actor.state, actor.blocker,
    actor.message, actor.created_at as "createdAt", actor.finished_at as "finishedAt", actor.archived_at as "archivedAt"
  `;
}

function rowsOf(kind: ActorKind): RawBuilder<unknown> {
  return sql`${sql.table(descriptors[kind].table)} as actor ${joinOf(kind)}`;
}

function joinOf(kind: ActorKind): RawBuilder<unknown> {
  return sql.raw(descriptors[kind].row.join ?? '');
}

function behind(after: ActorPosition | undefined): RawBuilder<unknown> {
  if (after === undefined) return sql`true`;
  const { rank, createdAt, id } = after;
  return sql`(rank > ${rank} or (rank = ${rank} and ("createdAt", id) < (${createdAt}, ${id}::uuid)))`;
}

function union(parts: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union all `,
  );
}
