import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { AuditAction } from '../../domain/audit-actions.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import type { Author } from './author.ts';

/** The subject of an action. */
export interface AuditSubject {
  /** Without it, the record concerns the installation and no organization sees it. */
  organizationId?: string;
  /** Without it, the kind that the action begins with. */
  subjectKind?: string;
  id: string;
  name?: string | undefined;
  /** The workflow that it started: the id of the actor's row. Its page tells who requested it. */
  workflowId?: string | undefined;
}

/** Actor and address come from the effect's author, the time from PostgreSQL's clock. */
export interface AuditEntry {
  action: AuditAction;
  subject: AuditSubject;
  details?: JsonObject | undefined;
}

export interface AuditRecordView {
  id: string;
  at: Date;
  action: string;
  actor: { kind: Author['kind']; id: string; name: string };
  ip: string | null;
  requestId: string | null;
  subject: { kind: string; id: string; name: string | null };
  details: JsonObject | null;
}

export interface AuditFilter {
  action?: string | undefined;
  actorId?: string | undefined;
  subjectKind?: string | undefined;
  subjectId?: string | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

export interface AuditPosition {
  at: Date;
  id: string;
}

/** The organization's records, newest first: those after the position. */
export async function listAuditRecords(
  kysely: Kysely<Tables>,
  organizationId: string,
  filter: AuditFilter,
  page: { limit: number; after?: AuditPosition | undefined },
): Promise<AuditRecordView[]> {
  let query = kysely
    .selectFrom('audit_record')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId);
  if (filter.subjectKind !== undefined) query = query.where('subject_kind', '=', filter.subjectKind);
  if (filter.subjectId !== undefined) query = query.where('subject_id', '=', filter.subjectId);
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.until !== undefined) query = query.where('at', '<', filter.until);
  const { after } = page;
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(after.at, after.id)));
  }
  const rows = await query.execute();
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    action: row.action,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    ip: row.ip,
    requestId: row.request_id,
    subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
    details: row.details,
  }));
}

export async function insertAuditRecords(kysely: Kysely<Tables>, author: Author, entries: AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await kysely
    .insertInto('audit_record')
    .values(
      entries.map(({ action, subject, details }) => ({
        id: uuid(),
        organization_id: subject.organizationId ?? null,
        // Not the transaction's beginning: of two that waited for each other, the log tells first what was done first.
        at: sql<Date>`clock_timestamp()`,
        action,
        actor_kind: author.kind,
        actor_id: author.id,
        actor_name: author.name,
        ip: author.ip ?? null,
        request_id: author.requestId ?? null,
        subject_kind: subject.subjectKind ?? action.slice(0, action.indexOf('.')),
        subject_id: subject.id,
        subject_name: subject.name ?? null,
        details: details ?? null,
        workflow_id: subject.workflowId ?? null,
      })),
    )
    .execute();
}
