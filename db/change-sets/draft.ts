import { defineEntity, p } from '@mikro-orm/core';

/** The changes that are staged in an environment. There is always one; applying it makes a change set of its id. */
export const DraftSchema = defineEntity({
  name: 'Draft',
  tableName: 'draft',
  properties: {
    environmentId: p.uuid().primary(),
    organizationId: p.uuid(),
    /** The id of the change set that it becomes. */
    id: p.uuid().unique('draft_id_unique'),
    /** Grows with each change of its items, also across change sets. */
    revision: p.integer().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'draft_organization_id_index', properties: ['organizationId'] }],
});

export class Draft extends DraftSchema.class {}
DraftSchema.setClass(Draft);
