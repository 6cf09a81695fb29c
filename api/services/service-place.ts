import type { Kysely } from 'kysely';
import { z } from 'zod';
import { stage } from '../../db/change-sets/stage.ts';
import type { NewItem, Stager } from '../../db/change-sets/staging.ts';
import type { Effect } from '../../db/engine/effect.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import type { ServiceRef } from '../../db/services/services.ts';
import { placesOfService, type ServicePlace, wantedSettings } from '../../db/services/wanted-settings.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { theEnvironment } from '../environments/environment.ts';

export const inEnvironment = z.strictObject({
  environmentId: z
    .guid()
    .toLowerCase()
    .optional()
    .describe('The settings in this environment; by default those of the definition.'),
});

export const stagedInEnvironment = z.strictObject({
  environmentId: z
    .guid()
    .toLowerCase()
    .optional()
    .describe(
      'Stages the change in this environment alone. By default the definition changes, and the change is staged in every persistent environment that has the service.',
    ),
});

/** The service in one environment of its project, with the settings wanted there. */
export async function placeOf(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
  service: ServiceRef,
  environmentId: string,
): Promise<ServicePlace> {
  const { id, organizationId, projectId, name } = await caller.see(theEnvironment, environmentId, kysely);
  if (projectId !== service.projectId) throw new Problem('not-found', 'The environment is of another project.');
  const place = { organizationId, environmentId: id };
  const settings = (await wantedSettings(kysely, place, [service.id])).get(service.id);
  if (settings !== undefined) return { ...place, name, settings };
  throw new Problem('not-found', `The service is not in the environment "${name}"; add it there first.`);
}

/** Where a change of a service is staged: in the environment that a request names, else wherever it is used. */
export async function placesOf(
  effect: Effect,
  caller: OrganizationCaller,
  service: ServiceRef,
  environmentId: string | undefined,
): Promise<ServicePlace[]> {
  if (environmentId === undefined) return await placesOfService(effect.kysely, service);
  return [await placeOf(effect.kysely, caller, service, environmentId)];
}

/** Stages the same changes in each place. */
export async function stageIn(
  effect: Effect,
  keyring: Stager,
  places: readonly ServicePlace[],
  items: readonly NewItem[],
  { countsAs }: OrganizationCaller,
): Promise<void> {
  if (items.length === 0) return;
  for (const place of places) await stage(effect, keyring, place, items, countsAs);
}
