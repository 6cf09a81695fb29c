import { z } from 'zod';
import { listAuditRecords } from '../../db/engine/audit.ts';
import { authorKinds } from '../../db/engine/author.ts';
import { operation } from '../engine/operation.ts';
import { eventPosition, oneMoreEvent, pageOfEvents } from '../engine/positions.ts';

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

const dateOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

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
  paged: { after: eventPosition },
  result: auditRecordSchema,
  async handle({ caller, query, database, page }) {
    const { actor: actorId, from, until, ...same } = query;
    const filter = { ...same, actorId, from: dateOf(from), until: dateOf(until) };
    const found = await listAuditRecords(database.kysely, caller.organization.id, filter, oneMoreEvent(page));
    return pageOfEvents(found, page);
  },
});

export const auditLog = { list: listAuditLog };
