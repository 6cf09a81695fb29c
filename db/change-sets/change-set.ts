import { defineEntity, p } from '@mikro-orm/core';
import { changeSetSources } from '../../domain/change-sets/items.ts';
import { changeSetStates } from '../../domain/change-sets/states.ts';

/** Changes of an environment that somebody asked to apply together: the row of the actor `change-set/<id>`. */
export const ChangeSetSchema = defineEntity({
  name: 'ChangeSet',
  tableName: 'change_set',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    environmentId: p.uuid(),
    state: p.enum(changeSetStates),
    revision: p.integer().default(0),
    blocker: p.text().nullable(),
    /** Why it is as it is. */
    message: p.text().nullable(),
    /** The words of the person who applied it. */
    title: p.text().default(''),
    reason: p.text().default(''),
    source: p.enum(changeSetSources),
    sourceCommit: p.text().nullable(),
    approvalId: p.uuid().nullable(),
    downtimeAccepted: p.boolean().default(false),
    requestedByKind: p.enum(['user', 'token', 'machine', 'actor']),
    requestedById: p.text(),
    requestedByName: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    appliedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
    archivedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'change_set_organization_id_id_unique', properties: ['organizationId', 'id'] }],
  indexes: [
    { name: 'change_set_page_index', properties: ['organizationId', 'environmentId', 'createdAt', 'id'] },
    { name: 'change_set_organization_id_created_at_id_index', properties: ['organizationId', 'createdAt', 'id'] },
    {
      name: 'change_set_without_archive_index',
      properties: ['finishedAt'],
      where: 'finished_at is not null and archived_at is null',
    },
  ],
});

export class ChangeSet extends ChangeSetSchema.class {}
ChangeSetSchema.setClass(ChangeSet);
