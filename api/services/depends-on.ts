import type { Effect } from '../../db/engine/effect.ts';
import { servicesBySlug } from '../../db/services/dependencies.ts';
import { dependencyFaults } from '../../domain/services/dependency-faults.ts';
import { invalidFields } from '../engine/input/input.ts';

/** Refuses dependencies on services that are not there, or that wait for this one. */
export async function refuseDependencies(
  effect: Effect,
  project: { organizationId: string; projectId: string },
  slug: string,
  dependsOn: readonly string[] | undefined,
): Promise<void> {
  if (dependsOn === undefined || dependsOn.length === 0) return;
  const faults = dependencyFaults(slug, dependsOn, await servicesBySlug(effect.kysely, project));
  if (faults.length === 0) return;
  throw invalidFields(
    faults.map(({ index, message }) => ({ location: `body.dependsOn[${index}]`, message, value: dependsOn[index] })),
  );
}
