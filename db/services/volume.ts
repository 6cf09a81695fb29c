import { defineEntity, p } from '@mikro-orm/core';

/** A directory of a process that outlives its instances: the project's definition, and the name of what clusters keep. */
export const VolumeSchema = defineEntity({
  name: 'Volume',
  tableName: 'volume',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    serviceId: p.uuid(),
    processId: p.uuid(),
    name: p.text(),
    mountPath: p.text(),
    sizeBytes: p.bigint('number'),
    storageClass: p.text().default(''),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** No environment to come has it. The row stays as long as a cluster may have its data. */
    removedAt: p.datetime(3).nullable(),
    /** No environment mounts it any more: its data are kept until the retention has passed. */
    deletionId: p.uuid().nullable(),
  },
  uniques: [
    { name: 'volume_organization_id_id_unique', properties: ['organizationId', 'id'] },
    { name: 'volume_name_unique', properties: ['serviceId', 'name'], where: 'removed_at is null' },
  ],
  indexes: [
    { name: 'volume_organization_id_service_id_index', properties: ['organizationId', 'serviceId'] },
    { name: 'volume_process_id_index', properties: ['processId'] },
  ],
});

export class Volume extends VolumeSchema.class {}
VolumeSchema.setClass(Volume);
