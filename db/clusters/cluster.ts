import { defineEntity, p } from '@mikro-orm/core';
import { clusterStates } from '../../domain/clusters/clusters.ts';

/** A cluster: the row of the actor `cluster/<id>`. `desiredRevision` grows with each change of what shall run there. */
export const ClusterSchema = defineEntity({
  name: 'Cluster',
  tableName: 'cluster',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    slug: p.text(),
    region: p.text().default(''),
    /** The one on the machine of the installation itself. */
    local: p.boolean().default(false),
    schedulable: p.boolean().default(true),
    desiredRevision: p.integer().default(0),
    state: p.enum(clusterStates).default('awaiting-agent'),
    revision: p.integer().default(0),
    /** Why it is in its state, in a sentence. */
    message: p.text().nullable(),
    blocker: p.text().nullable(),
    deletionRequestedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
    archivedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { name: 'cluster_organization_id_id_unique', properties: ['organizationId', 'id'] },
    {
      name: 'cluster_organization_id_slug_unique',
      properties: ['organizationId', 'slug'],
      where: 'finished_at is null',
    },
    { name: 'cluster_local_unique', properties: ['local'], where: 'local and finished_at is null' },
  ],
  indexes: [
    { name: 'cluster_organization_id_created_at_id_index', properties: ['organizationId', 'createdAt', 'id'] },
    { name: 'cluster_open_index', properties: ['createdAt'], where: 'finished_at is null' },
    {
      name: 'cluster_without_archive_index',
      properties: ['finishedAt'],
      where: 'finished_at is not null and archived_at is null',
    },
  ],
});

export class Cluster extends ClusterSchema.class {}
ClusterSchema.setClass(Cluster);
