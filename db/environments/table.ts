import { defineEntity, p } from '@mikro-orm/core';
import { environmentKinds } from '../../domain/environments/environments.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

/** Where the services of a project run: production, staging, a preview. */
const EnvironmentSchema = defineEntity({
  name: 'environment',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    name: p.text(),
    slug: p.text(),
    /** The name of its space on a cluster. */
    namespace: p.text(),
    clusterId: p.uuid().nullable(),
    gitBranch: p.text().nullable(),
    kind: p.enum(environmentKinds).default('persistent'),
    autoDeploy: p.boolean().default(true),
    /** Changes of it are held until somebody approves them. */
    production: p.boolean().default(false),
    deletionId: p.uuid().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    { name: 'environment_slug_unique', properties: ['projectId', 'slug'], where: 'deletion_id is null' },
  ],
  indexes: [
    { name: 'environment_page_index', properties: ['organizationId', 'projectId', 'createdAt', 'id'] },
    { properties: ['clusterId'], where: 'cluster_id is not null' },
  ],
});

/** A variable that the services of an environment share, as it was applied: they refer to it. */
const SharedVariableSchema = defineEntity({
  name: 'shared_variable',
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
    { properties: ['organizationId', 'environmentId'] },
    {
      name: 'shared_variable_page_index',
      expression:
        'create index "shared_variable_page_index" on "shared_variable" ("environment_id", "key" collate "C")',
    },
  ],
});

export const environments = [EnvironmentSchema, SharedVariableSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toRow('environment', 'project_id', 'project'),
  toRow('environment', 'cluster_id', 'cluster'),
  toRow('shared_variable', 'environment_id', 'environment'),
];
