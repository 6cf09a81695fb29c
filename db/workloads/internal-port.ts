import { defineEntity, p } from '@mikro-orm/core';

/** A port of the loopback at which other services of the environment reach a process, whatever release of it runs. */
export const InternalPortSchema = defineEntity({
  name: 'InternalPort',
  tableName: 'internal_port',
  properties: {
    clusterId: p.uuid().primary(),
    port: p.integer().primary(),
    organizationId: p.uuid(),
    /** The key of the workload. */
    key: p.text(),
    process: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'internal_port_cluster_id_key_process_unique', properties: ['clusterId', 'key', 'process'] }],
  indexes: [{ name: 'internal_port_organization_id_index', properties: ['organizationId'] }],
});

export class InternalPort extends InternalPortSchema.class {}
InternalPortSchema.setClass(InternalPort);
