import { defineEntity, p } from '@mikro-orm/core';
import { buildTimes } from '../../domain/variables/build-time.ts';

/** A variable of a service in an environment, as it was applied. */
export const VariableSchema = defineEntity({
  name: 'Variable',
  tableName: 'variable',
  properties: {
    environmentId: p.uuid().primary(),
    serviceId: p.uuid().primary(),
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
    { name: 'variable_organization_id_environment_id_index', properties: ['organizationId', 'environmentId'] },
    // Lists are in the order of bytes, whatever the locale of the database.
    {
      name: 'variable_page_index',
      expression:
        'create index "variable_page_index" on "variable" ("environment_id", "service_id", "key" collate "C")',
    },
    { name: 'variable_refers_index', properties: ['environmentId'], where: 'refers is not null' },
  ],
});

export class Variable extends VariableSchema.class {}
VariableSchema.setClass(Variable);
