import { defineEntity, p } from '@mikro-orm/core';
import { changeSetSources, changeSetStates, itemKinds } from '../../domain/change-sets/items.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import { actorRow, requestedBy, withoutArchive } from '../engine/actor-row.ts';
import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';

/** One change that is staged, or was applied. */
const ChangeSetItemSchema = defineEntity({
  name: 'change_set_item',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    environmentId: p.uuid(),
    /** Of the draft, or of the change set that it became. */
    changeSetId: p.uuid(),
    serviceId: p.uuid().nullable(),
    processId: p.uuid().nullable(),
    volumeId: p.uuid().nullable(),
    kind: p.enum(itemKinds),
    /** The subject and key that it changes: a later change of the same one replaces it. */
    slot: p.text(),
    key: p.text(),
    label: p.text(),
    /** JSON, empty if it is secret or nothing was there. */
    fromValue: p.text(),
    toValue: p.text(),
    sealedTo: p.blob().$type<Buffer>().nullable(),
    secret: p.boolean().default(false),
    /** Of a variable: what the new value refers to; null where nothing of it is read as a reference. */
    refers: p.array().nullable(),
    /** Of a variable: whether builds see it then, and saw it before; null where it is not there. */
    buildTime: p.enum(buildTimes).nullable(),
    fromBuildTime: p.enum(buildTimes).nullable(),
    /** The new value is the empty text, which a secret one does not show. */
    toEmpty: p.boolean().default(false),
    /** Staged by the repository's configuration: not changed by hand. */
    managed: p.boolean().default(false),
    /** The draft's revision that it made: so it is known what changed since another one. */
    revision: p.integer().default(0),
    stagedById: p.text(),
    stagedByName: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'change_set_item_slot_unique', properties: ['changeSetId', 'slot'] }],
  indexes: [
    { name: 'change_set_item_environment_index', properties: ['organizationId', 'environmentId'] },
    { properties: ['serviceId'], where: 'service_id is not null' },
    {
      name: 'change_set_item_variable_page_index',
      expression:
        'create index "change_set_item_variable_page_index" on "change_set_item" ("change_set_id", "service_id", "key" collate "C") where kind in (\'variable.set\', \'variable.unset\')',
    },
    { name: 'change_set_item_refers_index', properties: ['changeSetId'], where: 'refers is not null' },
  ],
});

/** Changes of an environment that somebody asked to apply together: the row of the actor `change-set/<id>`. */
const ChangeSetSchema = defineEntity({
  name: 'change_set',
  properties: {
    ...actorRow,
    projectId: p.uuid(),
    environmentId: p.uuid(),
    state: p.enum(changeSetStates),
    /** The words of the person who applied it. */
    title: p.text().default(''),
    reason: p.text().default(''),
    source: p.enum(changeSetSources),
    sourceCommit: p.text().nullable(),
    approvalId: p.uuid().nullable(),
    downtimeAccepted: p.boolean().default(false),
    ...requestedBy,
    appliedAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['organizationId', 'id'] }],
  indexes: [
    { name: 'change_set_page_index', properties: ['organizationId', 'environmentId', 'createdAt', 'id'] },
    { properties: ['organizationId', 'createdAt', 'id'] },
    withoutArchive('change_set'),
  ],
});

/** The changes that are staged in an environment. There is always one; applying it makes a change set of its id. */
const DraftSchema = defineEntity({
  name: 'draft',
  properties: {
    environmentId: p.uuid().primary(),
    organizationId: p.uuid(),
    /** The id of the change set that it becomes. */
    id: p.uuid().unique('draft_id_unique'),
    /** Grows with each change of its items, also across change sets. */
    revision: p.integer().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['organizationId'] }],
});

export const changeSets = [DraftSchema, ChangeSetItemSchema, ChangeSetSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  partOf('draft', 'environment_id', 'environment'),
  partOf('change_set_item', 'environment_id', 'environment'),
  partOf('change_set_item', 'service_id', 'service'),
  toRow('change_set', 'project_id', 'project'),
];
