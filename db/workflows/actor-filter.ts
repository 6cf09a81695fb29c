import { type RawBuilder, sql } from 'kysely';
import type { WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import { columnOf } from '../../domain/actors/belongs-to.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';

export interface ActorPosition {
  createdAt: Date;
  id: string;
}

export interface ActorFilter {
  open?: boolean | undefined;
  /** Only what is stuck. */
  stuck?: boolean | undefined;
  /** Only what ended so. */
  ends?: WorkflowEnd | undefined;
  /** The id of the thing that it is about. */
  subjectId?: string | undefined;
  /** The id of the person, token or part that requested it. */
  requestedBy?: string | undefined;
  /** Not over before this time. */
  from?: Date | undefined;
  /** Begun before this time. */
  until?: Date | undefined;
}

/** The condition on the rows of one kind, beside their organization. */
export function narrowed(kind: ActorKind, organizationId: string, filter: ActorFilter): RawBuilder<unknown> {
  const { ends, subjectId, requestedBy, from, until } = filter;
  const all: RawBuilder<unknown>[] = [sql`true`];
  if (ends !== undefined) {
    const states = Object.entries(descriptors[kind].ends).flatMap(([state, end]) => (end === ends ? [state] : []));
    all.push(sql`actor.state = any(${states}::text[])`);
  }
  if (subjectId !== undefined) all.push(sql`${subjectIdOf(kind)} = ${subjectId}::uuid`);
  if (requestedBy !== undefined) {
    all.push(sql`exists (
      select from audit_record
      where audit_record.organization_id = ${organizationId} and audit_record.workflow_id = actor.id
        and audit_record.actor_id = ${requestedBy}
    )`);
  }
  if (from !== undefined) all.push(sql`(actor.finished_at is null or actor.finished_at >= ${from})`);
  if (until !== undefined) all.push(sql`actor.created_at < ${until}`);
  return sql.join(all, sql` and `);
}

/** SQL: the id of the thing that the row is about. */
export function subjectIdOf(kind: ActorKind): RawBuilder<unknown> {
  const { belongsTo, row } = descriptors[kind];
  return sql.raw(row.subjectId ?? (belongsTo === null ? 'actor.id' : `actor.${columnOf(belongsTo)}`));
}

export function behind(after: ActorPosition | undefined): RawBuilder<unknown> {
  if (after === undefined) return sql`true`;
  return sql`("createdAt", id) < (${after.createdAt}, ${after.id}::uuid)`;
}
