import { defineEntity, p } from '@mikro-orm/core';
import { environmentKinds } from '../../domain/environments/environments.ts';

/** Where the services of a project run: production, staging, a preview. */
export const EnvironmentSchema = defineEntity({
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

export class Environment extends EnvironmentSchema.class {}
EnvironmentSchema.setClass(Environment);
