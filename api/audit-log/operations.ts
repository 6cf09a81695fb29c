import { z } from 'zod';
import { type AuditRecordView, listAuditRecords } from '../../db/engine/audit.ts';
import { authorKinds } from '../../db/engine/author.ts';
import { operation } from '../engine/operation.ts';

const auditRecordSchema = z
  .object({
    id: z.guid(),
    at: z.iso.datetime(),
    action: z.string().describe('As in `team.created`.'),
    actor: z.object({ kind: z.enum(authorKinds), id: z.string(), name: z.string() }),
    ip: z.string().optional().describe('Where the request came from, if there was one.'),
    requestId: z.string().optional(),
    subject: z.object({ kind: z.string(), id: z.string(), name: z.string().optional() }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'AuditRecord' });

const time = z.iso.datetime({ offset: true });
const text = z.string().min(1).max(200);

const listAuditLog = operation({
  method: 'GET',
  url: '/api/v1/audit-log',
  summary: 'List audit records, newest first',
  role: 'admin',
  projectTokens: 'refused',
  query: z.strictObject({
    actor: text.optional().describe('The id of the person, the token or the actor.'),
    action: text.optional().describe('As in `team.created`.'),
    subjectKind: text.optional().describe('As in `team`.'),
    subjectId: text.optional(),
    from: time.optional().describe('No records before this time.'),
    until: time.optional().describe('Only records before this time.'),
  }),
  paged: { after: z.strictObject({ at: z.iso.datetime(), id: z.guid() }) },
  result: auditRecordSchema,
  async handle({ caller, query, database, page }) {
    const { actor, action, subjectKind, subjectId, from, until } = query;
    const filter = {
      actorId: actor,
      action,
      subjectKind,
      subjectId,
      from: from === undefined ? undefined : new Date(from),
      until: until === undefined ? undefined : new Date(until),
    };
    const after = page.after && { at: new Date(page.after.at), id: page.after.id };
    const found = await listAuditRecords(database.kysely, caller.organization.id, filter, {
      limit: page.limit + 1,
      after,
    });
    const shown = found.slice(0, page.limit);
    const last = found.length > page.limit ? shown.at(-1) : undefined;
    return { items: shown.map(answer), after: last && { at: last.at.toISOString(), id: last.id } };
  },
});

function answer(record: AuditRecordView): z.output<typeof auditRecordSchema> {
  const { ip, requestId, details, subject, at, ...rest } = record;
  const { name, ...about } = subject;
  return {
    ...rest,
    at: at.toISOString(),
    subject: name === null ? about : { ...about, name },
    ...(ip === null ? {} : { ip }),
    ...(requestId === null ? {} : { requestId }),
    ...(details === null ? {} : { details }),
  };
}

export const auditLog = { list: listAuditLog };
