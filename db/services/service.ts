import { defineEntity, p } from '@mikro-orm/core';
import type { ServiceDefinition } from '../../domain/services/settings.ts';

/** A part of an application. Its settings belong to it in an environment; these here are the default of environments to come. */
export const ServiceSchema = defineEntity({
  name: 'Service',
  tableName: 'service',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    name: p.text(),
    slug: p.text(),
    template: p.text().nullable(),
    definition: p.json<ServiceDefinition>(),
    canvasX: p.double().$type<number>().nullable(),
    canvasY: p.double().$type<number>().nullable(),
    skipProductionApproval: p.boolean().default(false),
    skipProductionApprovalAt: p.datetime(3).nullable(),
    skipProductionApprovalBy: p.text().nullable(),
    deletionId: p.uuid().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { name: 'service_organization_id_id_unique', properties: ['organizationId', 'id'] },
    { name: 'service_slug_unique', properties: ['projectId', 'slug'], where: 'deletion_id is null' },
  ],
  indexes: [
    { name: 'service_page_index', properties: ['organizationId', 'projectId', 'createdAt', 'id'] },
    {
      name: 'service_slug_page_index',
      expression:
        'create index "service_slug_page_index" on "service" ("project_id", "slug" collate "C") where deletion_id is null',
    },
  ],
});

export class Service extends ServiceSchema.class {}
ServiceSchema.setClass(Service);
