import { type Kysely, sql } from 'kysely';
import { isThingKind, shownKind } from '../../../domain/deletions/kinds.ts';
import type { Tables } from '../../postgres/tables.ts';
import { attemptsOf, keyOf, lastAttempt } from './delete-data.ts';

interface Held {
  deletionId: string;
  kind: string;
  name: string;
  environmentId: string;
  serviceId: string;
}

/**
 * Deleted things whose data the cluster still has, the oldest first: kept for their retention, or to be deleted there. Data count
 * as there from the first deployment that mounted them on.
 */
export async function heldOnCluster(
  kysely: Kysely<Tables>,
  { id: clusterId, organizationId }: { id: string; organizationId: string },
): Promise<string[]> {
  const { rows } = await sql<Held>`
    with held as (
      select deployment.environment_id, deployment.service_id,
        unnest(array[volume.deletion_id, service.deletion_id, environment.deletion_id]) as deletion_id
      from deployment
      join service on service.organization_id = deployment.organization_id and service.id = deployment.service_id
      join environment on environment.organization_id = deployment.organization_id and environment.id = deployment.environment_id
      join release on release.organization_id = deployment.organization_id and release.id = deployment.release_id
      join volume on volume.organization_id = deployment.organization_id and volume.service_id = deployment.service_id
        and position(volume.id::text in release.content::text) > 0
      where deployment.organization_id = ${organizationId} and deployment.cluster_id = ${clusterId}
        and coalesce(volume.deletion_id, service.deletion_id, environment.deletion_id) is not null
      union select environment_id, service_id, deletion_id from left_volume
      where organization_id = ${organizationId} and cluster_id = ${clusterId}
    )
    select distinct deletion.created_at, deletion.id as "deletionId", deletion.kind, deletion.name,
      held.environment_id as "environmentId", held.service_id as "serviceId"
    from held join deletion on deletion.organization_id = ${organizationId} and deletion.id = held.deletion_id
      and deletion.state in ('retained', 'purging', 'failed')
    order by deletion.created_at, deletion.id
  `.execute(kysely);
  const attempts = await attemptsOf(
    kysely,
    organizationId,
    rows.map(({ deletionId }) => deletionId),
  );
  const there = rows.filter(
    (row) => lastAttempt(attempts, { deletionId: row.deletionId, clusterId, key: keyOf(row) }).state !== 'done',
  );
  return [...new Map(there.map((row) => [row.deletionId, inWords(row)])).values()];
}

function inWords({ kind, name }: Held): string {
  return `the ${isThingKind(kind) ? shownKind(kind) : kind} "${name}"`;
}
