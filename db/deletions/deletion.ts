import { defineEntity, p } from '@mikro-orm/core';
import { deletionKinds } from '../../domain/deletions/kinds.ts';
import { deletionStates } from '../../workflows/deletion/descriptor.ts';

/**
 * A deletion: the row of the actor `deletion/<id>`. It outlives what it deletes, so it keeps the name and the slug, and no
 * foreign key leads from it.
 */
export const DeletionSchema = defineEntity({
  name: 'Deletion',
  tableName: 'deletion',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    kind: p.enum(deletionKinds),
    /** The id of what is deleted; of an organization, `organizationId`. */
    subjectId: p.uuid().nullable(),
    /** Of all but organizations. */
    projectId: p.uuid().nullable(),
    /** Where it was, for people: its project, or service. */
    context: p.text().default(''),
    /** Its parts, in a few words. */
    detail: p.text().default(''),
    name: p.text(),
    slug: p.text(),
    requestedByKind: p.enum(['user', 'token', 'machine', 'actor']),
    requestedById: p.text(),
    requestedByName: p.text(),
    state: p.enum(deletionStates).default('retained'),
    revision: p.integer().default(0),
    message: p.text().nullable(),
    /** Why it does not move, in a sentence: a poisoned outbox entry, a workflow that was lost. */
    blocker: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    restoreUntil: p.datetime(3),
    /** Set when somebody asked for the purge before the time has passed. */
    purgeRequestedAt: p.datetime(3).nullable(),
    /** Set when the purge began: from here on parts may be gone and nothing can be restored. */
    purgeStartedAt: p.datetime(3).nullable(),
    /** Data on clusters that the purge could not delete, in a sentence: their cluster was removed before. */
    undeleted: p.text().nullable(),
    finishedAt: p.datetime(3).nullable(),
    archivedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'deletion_organization_id_index', properties: ['organizationId'] },
    { name: 'deletion_subject_index', properties: ['organizationId', 'subjectId'] },
    { name: 'deletion_open_index', properties: ['createdAt'], where: 'finished_at is null' },
    {
      name: 'deletion_without_archive_index',
      properties: ['finishedAt'],
      where: 'finished_at is not null and archived_at is null',
    },
  ],
});

export class Deletion extends DeletionSchema.class {}
DeletionSchema.setClass(Deletion);
