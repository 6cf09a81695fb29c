import { defineEntity, p } from '@mikro-orm/core';
import type { ProcessSettings } from '../../domain/services/settings.ts';

/** One kind of instances of a service: its web server, a worker, a cron job. */
export const ServiceProcessSchema = defineEntity({
  name: 'ServiceProcess',
  tableName: 'service_process',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    serviceId: p.uuid(),
    name: p.text(),
    definition: p.json<ProcessSettings>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { name: 'service_process_organization_id_id_unique', properties: ['organizationId', 'id'] },
    { name: 'service_process_name_unique', properties: ['serviceId', 'name'] },
  ],
  indexes: [{ name: 'service_process_organization_id_service_id_index', properties: ['organizationId', 'serviceId'] }],
});

export class ServiceProcess extends ServiceProcessSchema.class {}
ServiceProcessSchema.setClass(ServiceProcess);
