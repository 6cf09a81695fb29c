import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

export interface VolumeUsage {
  usedBytes: number;
  observedAt: Date;
  /** Of the disk that it lies on, where its agent tells that. */
  filesystem: { availableBytes: number; capacityBytes: number } | undefined;
}

const told = z.array(z.object({ name: z.string(), usedBytes: z.int() }));

const disk = z.object({ availableBytes: z.int(), capacityBytes: z.int() });

/** How much of each volume of a service is used in an environment, by its name on the cluster: as the agent last said. */
export async function volumeUsage(
  kysely: Kysely<Tables>,
  organizationId: string,
  { environmentId, serviceId }: { environmentId: string; serviceId: string },
): Promise<ReadonlyMap<string, VolumeUsage>> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('environment')
    .innerJoin('observed_slice', 'observed_slice.cluster_id', 'environment.cluster_id')
    .leftJoin('cluster_agent', 'cluster_agent.cluster_id', 'environment.cluster_id')
    .select(['observed_slice.volumes', 'observed_slice.observed_at as observedAt', 'cluster_agent.disk'])
    .where('environment.id', '=', environmentId)
    .where('observed_slice.key', '=', `env/${environmentId}/${serviceId}`)
    .executeTakeFirst();
  const volumes = told.safeParse(row?.volumes).data ?? [];
  const filesystem = disk.safeParse(row?.disk).data;
  const observedAt = row?.observedAt ?? new Date(0);
  return new Map(volumes.map(({ name, usedBytes }) => [name, { usedBytes, observedAt, filesystem }]));
}
