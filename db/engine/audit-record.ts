import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '../postgres/json.ts';
import { authorKinds } from './author.ts';

/** Who did what, on what, when, from where. Written once, never changed. */
export const AuditRecordSchema = defineEntity({
  name: 'AuditRecord',
  tableName: 'audit_record',
  properties: {
    id: p.uuid().primary(),
    /** Null: it concerns the installation. */
    organizationId: p.uuid().nullable(),
    at: p.datetime(3).defaultRaw('now()'),
    action: p.text(),
    actorKind: p.enum(authorKinds),
    actorId: p.text(),
    actorName: p.text(),
    ip: p.text().nullable(),
    requestId: p.text().nullable(),
    subjectKind: p.text(),
    subjectId: p.text(),
    subjectName: p.text().nullable(),
    details: p.json<JsonObject>().nullable(),
    /** The workflow that it started: the id of the actor's row. */
    workflowId: p.uuid().nullable(),
  },
  indexes: [
    { name: 'audit_record_organization_id_at_id_index', properties: ['organizationId', 'at', 'id'] },
    {
      name: 'audit_record_organization_id_subject_index',
      properties: ['organizationId', 'subjectKind', 'subjectId', 'at', 'id'],
    },
    {
      name: 'audit_record_workflow_id_index',
      properties: ['organizationId', 'workflowId'],
      where: 'workflow_id is not null',
    },
    { name: 'audit_record_organization_id_actor_id_index', properties: ['organizationId', 'actorId', 'at', 'id'] },
  ],
});

export class AuditRecord extends AuditRecordSchema.class {}
AuditRecordSchema.setClass(AuditRecord);
