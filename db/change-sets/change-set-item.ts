import { defineEntity, p } from '@mikro-orm/core';
import { itemKinds } from '../../domain/change-sets/items.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';

/** One change that is staged, or was applied. */
export const ChangeSetItemSchema = defineEntity({
  name: 'ChangeSetItem',
  tableName: 'change_set_item',
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
    { name: 'change_set_item_service_id_index', properties: ['serviceId'], where: 'service_id is not null' },
    {
      name: 'change_set_item_variable_page_index',
      expression:
        'create index "change_set_item_variable_page_index" on "change_set_item" ("change_set_id", "service_id", "key" collate "C") where kind in (\'variable.set\', \'variable.unset\')',
    },
    { name: 'change_set_item_refers_index', properties: ['changeSetId'], where: 'refers is not null' },
  ],
});

export class ChangeSetItem extends ChangeSetItemSchema.class {}
ChangeSetItemSchema.setClass(ChangeSetItem);
