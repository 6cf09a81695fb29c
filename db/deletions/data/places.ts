import { type Kysely, sql } from 'kysely';
import { keptName, volumeName } from '../../../domain/services/volumes.ts';
import type { Tables } from '../../postgres/tables.ts';
import type { ThingToPurge } from '../things/deleted-things.ts';

/** A service's volumes in one environment, on one cluster. */
export interface DataLocation {
  clusterId: string;
  cluster: string;
  clusterSlug: string;
  /** The cluster was deleted: nobody reaches the data there any more. */
  removed: boolean;
  contact: 'never' | 'connected' | 'lost';
  protocolMinor: number;
  environmentId: string;
  environment: string;
  serviceId: string;
  service: string;
  /** These data alone, by their names on the cluster; null: all of the service there. */
  volumes: readonly string[] | null;
}

/**
 * Where the services that the thing has, or is part of, may have volumes: on the clusters of environments, and on those that they
 * were deployed on before. Of a cluster that was removed only what is known to be there: an environment that moved away before has
 * left data there which are listed, or were purged.
 */
export async function placesWithData(
  kysely: Kysely<Tables>,
  { deletionId, organizationId, kind, id }: ThingToPurge,
): Promise<DataLocation[]> {
  const mine = {
    service: sql`volume.service_id = ${id}`,
    database: sql`volume.service_id = ${id}`,
    volume: sql`volume.id = ${id}`,
    environment: sql`environment.id = ${id}`,
    project: sql`environment.project_id = ${id}`,
    'left-volume': sql`false`,
  }[kind];
  const left = {
    service: sql`left_volume.service_id = ${id}`,
    database: sql`left_volume.service_id = ${id}`,
    volume: sql`left_volume.volume_id = ${id}`,
    environment: sql`left_volume.environment_id = ${id}`,
    project: sql`left_volume.project_id = ${id}`,
    'left-volume': sql`left_volume.id = ${id}`,
  }[kind];
  const volumeId = kind === 'volume' ? id : null;
  const named = kind === 'volume' || kind === 'left-volume';
  const { rows } = await sql<Place>`
    with place as (
      select environment.cluster_id, environment.id as environment_id, volume.service_id, ${volumeId}::uuid as volume_id,
        null::uuid as restore_id
      from volume
      join service on service.organization_id = volume.organization_id and service.id = volume.service_id
      join environment on environment.organization_id = service.organization_id
        and environment.project_id = service.project_id
      join cluster on cluster.organization_id = environment.organization_id and cluster.id = environment.cluster_id
        and cluster.finished_at is null
      where volume.organization_id = ${organizationId} and ${mine}
        and (exists (select from environment_service place where place.organization_id = volume.organization_id
            and place.service_id = volume.service_id and place.environment_id = environment.id)
          or exists (select from release where release.organization_id = volume.organization_id
            and release.service_id = volume.service_id and release.environment_id = environment.id))
      union select deployment.cluster_id, deployment.environment_id, deployment.service_id, ${volumeId}::uuid, null::uuid
      from deployment
      join release on release.organization_id = deployment.organization_id and release.id = deployment.release_id
      join environment on environment.organization_id = deployment.organization_id and environment.id = deployment.environment_id
      join volume on volume.organization_id = deployment.organization_id and volume.service_id = deployment.service_id
        and position(volume.id::text in release.content::text) > 0
      join cluster on cluster.organization_id = deployment.organization_id and cluster.id = deployment.cluster_id
      where deployment.organization_id = ${organizationId} and ${mine}
        and (cluster.finished_at is null
          or environment.cluster_id = cluster.id and release.retired_at is null
          or cluster.finished_at > (select created_at from deletion where deletion.id = ${deletionId}))
      union select left_volume.cluster_id, left_volume.environment_id, left_volume.service_id,
        ${named ? sql`left_volume.volume_id, left_volume.restore_id` : sql`null::uuid, null::uuid`}
      from left_volume
      where left_volume.organization_id = ${organizationId} and ${left}
    )
    select cluster.id as "clusterId", cluster.name as cluster, cluster.slug as "clusterSlug",
      cluster.finished_at is not null as removed, agent.contact, agent.protocol_minor as "protocolMinor",
      environment.id as "environmentId", environment.name as environment, service.id as "serviceId", service.name as service,
      place.volume_id as "volumeId", place.restore_id as "restoreId"
    from place
    join cluster on cluster.organization_id = ${organizationId} and cluster.id = place.cluster_id
    join cluster_agent agent on agent.cluster_id = cluster.id
    join environment on environment.organization_id = ${organizationId} and environment.id = place.environment_id
    join service on service.organization_id = ${organizationId} and service.id = place.service_id
    order by cluster.id, environment.id, service.id
  `.execute(kysely);
  const places = Map.groupBy(rows, (row) => `${row.clusterId} ${row.environmentId} ${row.serviceId}`);
  return [...places.values()].flatMap((there) => {
    const [first] = there;
    if (first === undefined) return [];
    const { volumeId: _, restoreId: __, ...place } = first;
    return [{ ...place, volumes: named ? there.map(dataName) : null }];
  });
}

interface Place extends Omit<DataLocation, 'volumes'> {
  volumeId: string;
  restoreId: string | null;
}

const dataName = ({ volumeId, restoreId }: Place): string =>
  restoreId === null ? volumeName(volumeId) : keptName(restoreId);

/** Whose data it is, for people. */
export function placeInWords({ service, environment }: Pick<DataLocation, 'service' | 'environment'>): string {
  return `"${service}" in "${environment}"`;
}
