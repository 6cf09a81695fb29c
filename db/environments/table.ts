import { defineEntity, p } from '@mikro-orm/core';
import { environmentKinds } from '../../domain/environments/environments.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

/** Where the services of a project run: production, staging, a preview. */
const EnvironmentSchema = defineEntity({
  name: 'Environment',
  tableName: 'environment',
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
    { name: 'environment_organization_id_id_unique', properties: ['organizationId', 'id'] },
    { name: 'environment_slug_unique', properties: ['projectId', 'slug'], where: 'deletion_id is null' },
  ],
  indexes: [
    { name: 'environment_page_index', properties: ['organizationId', 'projectId', 'createdAt', 'id'] },
    { name: 'environment_cluster_id_index', properties: ['clusterId'], where: 'cluster_id is not null' },
  ],
});

class Environment extends EnvironmentSchema.class {}
EnvironmentSchema.setClass(Environment);

/** A variable that the services of an environment share, as it was applied: they refer to it. */
const SharedVariableSchema = defineEntity({
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

class SharedVariable extends SharedVariableSchema.class {}
SharedVariableSchema.setClass(SharedVariable);

export const environments = [EnvironmentSchema, SharedVariableSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toRow('environment', 'project_id', 'project'),
  toRow('environment', 'cluster_id', 'cluster'),
  toRow('shared_variable', 'environment_id', 'environment'),
];
