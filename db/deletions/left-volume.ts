import { defineEntity, p } from '@mikro-orm/core';

/**
 * The data of a volume on a cluster, kept for an environment that mounts it no more there: since the volume, its process or its
 * service was removed from it, or since it has moved to another cluster. Always with a deletion, which is its clock.
 */
export const LeftVolumeSchema = defineEntity({
  name: 'LeftVolume',
  tableName: 'left_volume',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    environmentId: p.uuid(),
    serviceId: p.uuid(),
    volumeId: p.uuid(),
    clusterId: p.uuid(),
    deletionId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { name: 'left_volume_organization_id_id_unique', properties: ['organizationId', 'id'] },
    { name: 'left_volume_place_unique', properties: ['environmentId', 'volumeId', 'clusterId'] },
  ],
  indexes: [
    { name: 'left_volume_organization_id_project_id_index', properties: ['organizationId', 'projectId'] },
    { name: 'left_volume_organization_id_service_id_index', properties: ['organizationId', 'serviceId'] },
    { name: 'left_volume_organization_id_environment_id_index', properties: ['organizationId', 'environmentId'] },
    { name: 'left_volume_organization_id_volume_id_index', properties: ['organizationId', 'volumeId'] },
  ],
});

export class LeftVolume extends LeftVolumeSchema.class {}
LeftVolumeSchema.setClass(LeftVolume);
