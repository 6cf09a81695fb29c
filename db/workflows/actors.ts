import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ActorDescriptor } from '../../domain/actors/actor-descriptor.ts';
import { isId } from '../../domain/ids.ts';
import { type ActorKind, actorKinds, descriptors } from '../../workflows/descriptors.ts';
import type { Author } from '../engine/author.ts';
import { downSentence } from '../engine/processes/processes.ts';
import type { Tables } from '../postgres/tables.ts';
import { type Finder, foundColumns } from '../search/finder.ts';
import { type ActorFilter, type ActorPosition, behind, narrowed, subjectIdOf } from './actor-rows.ts';

/** An actor as its row shows it. */
export interface ActorView {
  id: string;
  kind: ActorKind;
  /** Of what it is about: its cluster, its organization. */
  name: string;
  subjectId: string;
  /** The release that it is about, if its kind has one. */
  release: string | null;
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

/** Who started it, as the audit log has it, or else its row; null where nobody is known. */
interface Requested {
  requestKind: Author['kind'] | null;
  requestBy: string | null;
  requestName: string | null;
  auditRecordId: string | null;
  requestId: string | null;
}

export type RequestedActor = ActorView & Requested;

/**
 * The actors of an organization, the newest first. What is over may be much, and is read along its index; what is open is
 * as much as there are clusters.
 */
export async function listActors(
  kysely: Kysely<Tables>,
  organizationId: string,
  {
    kinds,
    limit,
    after,
    ...filter
  }: ActorFilter & { kinds: readonly ActorKind[]; limit: number; after?: ActorPosition | undefined },
): Promise<RequestedActor[]> {
  const branches: RawBuilder<unknown>[] = [];
  if (filter.open !== false && filter.ends === undefined && kinds.length > 0) {
    const rows = union(kinds.map((kind) => openRows(kind, organizationId, narrowed(kind, organizationId, filter))));
    branches.push(sql`
      select * from (${rows}) as opened
      where ${filter.stuck ? sql`stuck` : sql`true`} and ${behind(after)}
      order by "createdAt" desc, id desc
      limit ${limit}
    `);
  }
  if (filter.open !== true && !filter.stuck) {
    branches.push(
      ...kinds.map((kind) => overRows(kind, organizationId, limit, narrowed(kind, organizationId, filter), after)),
    );
  }
  if (branches.length === 0) return [];
  const { rows } = await sql<RequestedActor>`
    select actors.*, ${requested} from (
      select * from (${union(branches)}) as found order by "createdAt" desc, id desc limit ${limit}
    ) as actors ${requestOf(organizationId)}
    order by "createdAt" desc, actors.id desc
  `.execute(kysely);
  return rows;
}

/** An organization's actors of these kinds that have not finished. */
export function openActorRows(organizationId: string, kinds: readonly ActorKind[]): RawBuilder<unknown> {
  return union(actorKinds.map((kind) => openRows(kind, organizationId, kinds.includes(kind) ? sql`true` : sql`false`)));
}

/** The actor of that row, finished or not. */
function actorRows(organizationId: string, id: string, kinds: readonly ActorKind[]): RawBuilder<unknown> {
  const own = sql`actor.id = ${id}`;
  return union(
    kinds.flatMap((kind) => [
      openRows(kind, organizationId, own),
      sql`select ${columns(kind)}, ${over} from ${rowsOf(kind)}
        where actor.organization_id = ${organizationId} and ${own} and actor.finished_at is not null`,
    ]),
  );
}

/** The actor of that row, if it is the organization's and of one of these kinds. */
export async function findActor(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
  kinds: readonly ActorKind[],
): Promise<RequestedActor | undefined> {
  if (kinds.length === 0) return undefined;
  const { rows } = await sql<RequestedActor>`
    select actors.*, ${requested} from (${actorRows(organizationId, id, kinds)}) as actors
    ${requestOf(organizationId)} limit 1
  `.execute(kysely);
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
function openRows(kind: ActorKind, organizationId: string, which: RawBuilder<unknown>) {
  const { table, row } = descriptors[kind];
  return sql`
    select ${columns(kind)}, actor.blocker is not null or actor.delay is not null as stuck, actor.delay
    from (
      select actor.*, case when oldest.created_at < now() - interval '1 minute' then 'undelivered' when ${sql.raw(row.overdue)} then 'overdue' end as delay
      from ${sql.table(table)} as actor
      left join lateral (
        select created_at from outbox where actor_id = ${`${kind}/`}::text || actor.id::text order by id limit 1
      ) as oldest on true
      where actor.organization_id = ${organizationId} and ${which} and actor.finished_at is null
    ) as actor ${joinOf(kind)}
  `;
}

/** Named only once the page is cut out: the table may be long. */
function overRows(
  kind: ActorKind,
  organizationId: string,
  limit: number,
  which: RawBuilder<unknown>,
  after: ActorPosition | undefined,
) {
  const from = after && sql`and (actor.created_at, actor.id) < (${after.createdAt}, ${after.id}::uuid)`;
  return sql`
    select ${columns(kind)}, ${over}
    from (
      select actor.* from ${sql.table(descriptors[kind].table)} as actor
      where actor.organization_id = ${organizationId} and ${which} and actor.finished_at is not null ${from ?? sql``}
      order by actor.created_at desc, actor.id desc
      limit ${limit}
    ) as actor ${joinOf(kind)}
  `;
}

const over = sql`false as stuck, null::text as delay`;

const requested = sql`
  request.id as "auditRecordId", request.request_id as "requestId",
  coalesce(request.actor_kind, actors.by_kind) as "requestKind", coalesce(request.actor_id, actors.by_id) as "requestBy",
  coalesce(request.actor_name, actors.by_name) as "requestName"
`;

function requestOf(organizationId: string): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select * from audit_record
      where audit_record.organization_id = ${organizationId} and audit_record.workflow_id = actors.id
      order by audit_record.at limit 1
    ) as request on true
  `;
}

function columns(kind: ActorKind): RawBuilder<unknown> {
  const { row }: ActorDescriptor = descriptors[kind];
  const by = row.requested
    ? sql`actor.requested_by_kind as by_kind, actor.requested_by_id as by_id, actor.requested_by_name as by_name`
    : sql`null::text as by_kind, null::text as by_id, null::text as by_name`;
  return sql`
    ${by}, actor.id, ${kind}::text as kind, ${sql.raw(row.name)} as name, ${subjectIdOf(kind)} as "subjectId",
    ${row.release === undefined ? sql`null::text` : sql.raw(row.release)} as release, actor.state,
    ${blockerOf(kind)} as blocker, actor.message, actor.created_at as "createdAt", actor.finished_at as "finishedAt", actor.archived_at as "archivedAt"
  `;
}

/** The part that is down, for one that waits for it; one that lives for ever has nothing under way. */
function blockerOf(kind: ActorKind): RawBuilder<unknown> {
  const { lives, row } = descriptors[kind];
  if (lives === 'for-ever') return sql`actor.blocker`;
  const waits = sql`actor.finished_at is null and not coalesce(${sql.raw(row.rests ?? 'false')}, false)`;
  return sql`coalesce(case when ${waits} then ${downSentence} end, actor.blocker)`;
}

function rowsOf(kind: ActorKind): RawBuilder<unknown> {
  return sql`${sql.table(descriptors[kind].table)} as actor ${joinOf(kind)}`;
}

function joinOf(kind: ActorKind): RawBuilder<unknown> {
  return sql.raw(descriptors[kind].row.join ?? '');
}

function union(parts: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union all `,
  );
}

/** Those that run; by its id, a finished one, too. */
export const foundWorkflows: Finder = {
  kind: 'workflow',
  select: (organizationId, sought) => {
    const { text, workflows } = sought;
    const rows =
      isId(text) && workflows.length > 0
        ? actorRows(organizationId, text, workflows)
        : openActorRows(organizationId, workflows);
    return sql`
      select ${foundColumns(sought, 'workflow', { id: sql`found.id`, name: sql`found.name`, detail: sql`found.kind`, state: sql`found.state` })}
      from (${rows}) as found`;
  },
};
