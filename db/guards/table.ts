import { defineEntity, p } from '@mikro-orm/core';
import { guards as kindsOfGuard } from '../../domain/guards/guards.ts';
import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';
import type { JsonValue } from '../postgres/json.ts';

/** A guard of production that somebody loosened: what it was, so that one click can undo it. */
const GuardLooseningSchema = defineEntity({
  name: 'guard_loosening',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    /** Of an environment or a service. */
    projectId: p.uuid().nullable(),
    guard: p.enum(kindsOfGuard),
    /** The environment, service, trusted issuer or person. */
    subjectId: p.uuid(),
    subjectName: p.text(),
    before: p.json<JsonValue>().nullable(),
    after: p.json<JsonValue>(),
    byKind: p.enum(['user', 'token', 'machine', 'actor']),
    byId: p.text(),
    byName: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** When the guard was changed again, by whomever. */
    endedAt: p.datetime(3).nullable(),
    endedByName: p.text().nullable(),
    /** The guard was changed again by an undo. */
    undone: p.boolean().default(false),
  },
  indexes: [
    { name: 'guard_loosening_page_index', properties: ['organizationId', 'createdAt', 'id'] },
    {
      name: 'guard_loosening_open_index',
      properties: ['organizationId', 'guard', 'subjectId'],
      where: 'ended_at is null',
    },
  ],
});

export const guards = [GuardLooseningSchema] as const;

/** Its subject may be deleted: the account of what was loosened stays, as long as its project. */
export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('guard_loosening'),
  partOf('guard_loosening', 'project_id', 'project'),
];
