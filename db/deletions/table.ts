import { defineEntity, p } from '@mikro-orm/core';
import { deletionKinds } from '../../domain/deletions/kinds.ts';
import { deletionStates } from '../../workflows/deletion/descriptor.ts';
import { actorRow, requestedBy, withoutArchive } from '../engine/actor-row.ts';
import { type ForeignKey, partOf } from '../postgres/foreign-key.ts';

/**
 * A deletion: the row of the actor `deletion/<id>`. It outlives what it deletes, so it keeps the name and the slug, and no
 * foreign key leads from it.
 */
const DeletionSchema = defineEntity({
  name: 'deletion',
  properties: {
    ...actorRow,
    kind: p.enum(deletionKinds),
    /** The id of what is deleted; of an organization, `organizationId`. */
    subjectId: p.uuid().nullable(),
    /** Of all but organizations. */
    projectId: p.uuid().nullable(),
    /** Where it was, for people: its project, or service. */
    context: p.text().default(''),
    /** Its parts, in a few words. */
    detail: p.text().default(''),
    name: p.text(),
    slug: p.text(),
    ...requestedBy,
    state: p.enum(deletionStates).default('retained'),
    restoreUntil: p.datetime(3),
    /** Set when somebody asked for the purge before the time has passed. */
    purgeRequestedAt: p.datetime(3).nullable(),
    /** Set when the purge began: from here on parts may be gone and nothing can be restored. */
    purgeStartedAt: p.datetime(3).nullable(),
    /** Data on clusters that the purge could not delete, in a sentence: their cluster was removed before. */
    undeleted: p.text().nullable(),
  },
  indexes: [
    { properties: ['organizationId'] },
    { name: 'deletion_subject_index', properties: ['organizationId', 'subjectId'] },
    { name: 'deletion_open_index', properties: ['createdAt'], where: 'finished_at is null' },
    withoutArchive('deletion'),
  ],
});

/**
 * The data of a volume on a cluster, kept for an environment that mounts it no more there: since the volume, its process or its
 * service was removed from it, or since it has moved to another cluster. Always with a deletion, which is its clock.
 */
const LeftVolumeSchema = defineEntity({
  name: 'left_volume',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    environmentId: p.uuid(),
    serviceId: p.uuid(),
    volumeId: p.uuid(),
    clusterId: p.uuid(),
    deletionId: p.uuid(),
    /** The restore that put other data in their place: they are beside those of the volume, which is mounted as before. */
    restoreId: p.uuid().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    {
      name: 'left_volume_place_unique',
      expression:
        'create unique index "left_volume_place_unique" on "left_volume" ("environment_id", "volume_id", "cluster_id") where "restore_id" is null',
    },
  ],
  indexes: [
    { properties: ['organizationId', 'projectId'] },
    { properties: ['organizationId', 'serviceId'] },
    { properties: ['organizationId', 'environmentId'] },
    { properties: ['organizationId', 'volumeId'] },
  ],
});

export const deletions = [DeletionSchema, LeftVolumeSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  partOf('left_volume', 'project_id', 'project'),
  partOf('left_volume', 'environment_id', 'environment'),
  partOf('left_volume', 'service_id', 'service'),
  partOf('left_volume', 'volume_id', 'volume'),
  partOf('left_volume', 'cluster_id', 'cluster'),
];
