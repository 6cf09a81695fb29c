import { defineEntity, p } from '@mikro-orm/core';
import { buildTimes } from '../../domain/variables/build-time.ts';

/** A variable that the services of an environment share, as it was applied: they refer to it. */
export const SharedVariableSchema = defineEntity({
  name: 'SharedVariable',
  tableName: 'shared_variable',
  properties: {
    environmentId: p.uuid().primary(),
    key: p.text().primary(),
    organizationId: p.uuid(),
    /** Empty if it is secret. */
    value: p.text().default(''),
    /** The value of a secret one, encrypted with the organization's key. */
    sealed: p.blob().$type<Buffer>().nullable(),
    /** The references of its value; null where nothing of it is read as one. */
    refers: p.array().nullable(),
    /** Null: written before builds were told apart, and of run time alone since. */
    buildTime: p.enum(buildTimes).nullable(),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    updatedBy: p.text(),
  },
  indexes: [
    { name: 'shared_variable_organization_id_environment_id_index', properties: ['organizationId', 'environmentId'] },
    {
      name: 'shared_variable_page_index',
      expression:
        'create index "shared_variable_page_index" on "shared_variable" ("environment_id", "key" collate "C")',
    },
  ],
});

export class SharedVariable extends SharedVariableSchema.class {}
SharedVariableSchema.setClass(SharedVariable);
