import type { Kysely } from 'kysely';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import { appliedSettings, withItems } from '../change-sets/applied.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import { draftItems } from '../change-sets/items.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ServiceRef } from './services.ts';

/** The settings of an environment's services, of all or of these, as they will be once its draft is applied. */
export async function wantedSettings(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  serviceIds?: readonly string[],
): Promise<Map<string, ServiceSettings>> {
  const applied = await appliedSettings(kysely, place, serviceIds);
  const draft = await tenant(kysely, place.organizationId)
    .selectFrom('draft')
    .select('id')
    .where('environment_id', '=', place.environmentId)
    .executeTakeFirst();
  return draft === undefined ? applied : withItems(applied, await draftItems(kysely, place, draft.id, serviceIds));
}

/** A service in an environment that has it, or whose draft adds it. */
export interface ServicePlace {
  environmentId: string;
  organizationId: string;
  /** The environment's. */
  name: string;
  settings: ServiceSettings;
}

/** The persistent environments that have the service, oldest first: one order for all who lock their drafts. */
export async function placesOfService(
  kysely: Kysely<Tables>,
  { id, organizationId, projectId }: ServiceRef,
): Promise<ServicePlace[]> {
  const environments = await tenant(kysely, organizationId)
    .selectFrom('environment')
    .select(['id', 'name'])
    .where('project_id', '=', projectId)
    .where('kind', '=', 'persistent')
    .where('deletion_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const places: ServicePlace[] = [];
  for (const { id: environmentId, name } of environments) {
    const settings = (await wantedSettings(kysely, { organizationId, environmentId }, [id])).get(id);
    if (settings !== undefined) places.push({ environmentId, organizationId, name, settings });
  }
  return places;
}
