import type { Kysely } from 'kysely';
import type { MachineFacts } from '../../domain/clusters/capabilities.ts';
import { Problem } from '../../domain/problems.ts';
import { type ImagePlatform, imageMisfit, type Machine } from '../../domain/services/image-fit.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

export interface EnvironmentMachine {
  /** The cluster's name; undefined while the environment has none. */
  cluster: string | undefined;
  /** Undefined until its agent has told them. */
  facts: MachineFacts | undefined;
  machine: Machine | undefined;
}

/** Where an environment runs, as the agent told it last. */
export async function machineOf(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: { organizationId: string; environmentId: string },
): Promise<EnvironmentMachine> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('environment')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .leftJoin('cluster_agent', 'cluster_agent.cluster_id', 'cluster.id')
    .select(['cluster.name', 'cluster_agent.facts'])
    .where('environment.id', '=', environmentId)
    .executeTakeFirst();
  if (row === undefined) return { cluster: undefined, facts: undefined, machine: undefined };
  // Checked when the agent told them; an older one may have told less.
  const facts = row.facts as unknown as ReportedMachine | null;
  const { driver, platform } = facts ?? {};
  const known = typeof driver === 'string' && typeof platform?.os === 'string' && typeof platform.arch === 'string';
  return {
    cluster: row.name,
    facts: facts ?? undefined,
    machine: known ? { cluster: row.name, driver, os: platform.os, arch: platform.arch } : undefined,
  };
}

type ReportedMachine = MachineFacts & { platform?: { os: string; arch: string } };

/** Refuses an image that the environment's cluster cannot run. */
export function refuseMisfit(
  name: string,
  imageRef: string,
  platforms: readonly ImagePlatform[] | null,
  { machine }: EnvironmentMachine,
): void {
  const why = machine === undefined ? undefined : imageMisfit(platforms ?? [], machine);
  if (why !== undefined)
    throw new Problem('image-unfit', `The image ${imageRef} of "${name}" cannot run here: ${why}.`);
}
