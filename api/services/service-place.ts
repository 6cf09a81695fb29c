import type { Kysely } from 'kysely';
import { z } from 'zod';
import { stage } from '../../db/change-sets/stage.ts';
import type { NewItem, Stager } from '../../db/change-sets/staging.ts';
import type { Effect } from '../../db/engine/effect.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { lockService, type ServiceRef, type ServiceView } from '../../db/services/services.ts';
import { placesOfService, type ServicePlace, wantedSettings } from '../../db/services/wanted-settings.ts';
import { Problem } from '../../domain/problems.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import type { Resource } from '../engine/resource.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from './service.ts';

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

/** The environment that a request names beside something of a project: one of the same project. */
export async function environmentOf(
  caller: OrganizationCaller,
  { projectId }: { projectId: string },
  environmentId: string,
  kysely?: Kysely<Tables>,
): Promise<EnvironmentView> {
  const environment = await caller.see(theEnvironment, environmentId, kysely);
  if (environment.projectId === projectId) return environment;
  throw new Problem('not-found', 'The environment is of another project.');
}

/** The service in one environment of its project, with the settings wanted there. */
export async function placeOf(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
  service: ServiceRef,
  environmentId: string,
): Promise<ServicePlace> {
  const { id, organizationId, name } = await environmentOf(caller, service, environmentId, kysely);
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

/** A process or a volume with its service, which is locked until the effect ends. */
export async function lockedWithService<Part extends { serviceId: string }>(
  effect: Effect,
  caller: OrganizationCaller,
  kind: Resource<Part>,
  id: string,
): Promise<{ service: ServiceView; part: Part }> {
  const { kysely } = effect;
  const { serviceId } = await caller.see(kind, id, kysely);
  const service = await caller.see(theService, serviceId, kysely);
  await lockService(effect, service);
  return { service, part: await caller.see(kind, id, kysely) };
}

/** Looks up the settings of a process or a volume among those of its service. */
type PartOf<Settings> = (processes: ServiceSettings['processes']) => Settings | undefined;

/** The settings of a process or a volume of the service in one environment. `noun`: `process`, `volume`. */
export async function partIn<Settings>(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
  service: ServiceRef,
  environmentId: string,
  noun: string,
  partOf: PartOf<Settings>,
): Promise<ServicePlace & { part: Settings }> {
  const place = await placeOf(kysely, caller, service, environmentId);
  const part = partOf(place.settings.processes);
  if (part !== undefined) return { ...place, part };
  throw new Problem('not-found', `The ${noun} is not in the environment "${place.name}".`);
}

/** Where a change of a process or a volume is staged: in the environment that a request names, else wherever it is used. */
export async function placesWith<Settings>(
  { kysely }: Effect,
  caller: OrganizationCaller,
  service: ServiceRef,
  environmentId: string | undefined,
  noun: string,
  partOf: PartOf<Settings>,
): Promise<(ServicePlace & { part: Settings })[]> {
  if (environmentId !== undefined) return [await partIn(kysely, caller, service, environmentId, noun, partOf)];
  return (await placesOfService(kysely, service)).flatMap((place) => {
    const part = partOf(place.settings.processes);
    return part === undefined ? [] : [{ ...place, part }];
  });
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
