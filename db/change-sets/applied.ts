import { type Kysely, sql } from 'kysely';
import { applyItems, settingsKinds } from '../../domain/change-sets/apply-items.ts';
import type { VariableValue } from '../../domain/change-sets/staging.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import { withVolumes } from '../../domain/services/volumes.ts';
import type { BuildTime } from '../../domain/variables/build-time.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { definedVolumes } from '../services/volumes.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import { type ItemRow, itemValue } from './items.ts';

/** The settings of an environment's services, of all or of these, as they were applied. */
export async function appliedSettings(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  serviceIds?: readonly string[],
): Promise<Map<string, ServiceSettings>> {
  let query = tenant(kysely, organizationId)
    .selectFrom('environment_service')
    .innerJoin('service', 'service.id', 'environment_service.service_id')
    .select(['service_id', 'settings'])
    .where('environment_id', '=', environmentId)
    .where('service.deletion_id', 'is', null);
  if (serviceIds !== undefined) query = query.where(sql<boolean>`service_id = any(${serviceIds}::uuid[])`);
  const rows = await query.execute();
  return new Map(rows.map((row) => [row.service_id, row.settings]));
}

/** The same after staged items. */
export function withItems(
  settings: ReadonlyMap<string, ServiceSettings>,
  items: readonly Pick<ItemRow, 'kind' | 'service_id' | 'process_id' | 'volume_id' | 'key' | 'to_value'>[],
): Map<string, ServiceSettings> {
  const changing = items.filter(({ kind }) => settingsKinds.has(kind));
  return applyItems(
    settings,
    changing.map((row) => ({
      kind: row.kind,
      serviceId: row.service_id,
      processId: row.process_id,
      volumeId: row.volume_id,
      key: row.key,
      to: itemValue(row),
    })),
  );
}

/** The settings with which a service begins in an environment: its definition of now. */
export async function definedSettings(
  kysely: Kysely<Tables>,
  organizationId: string,
  serviceId: string,
): Promise<ServiceSettings | undefined> {
  const own = tenant(kysely, organizationId);
  const service = await own
    .selectFrom('service')
    .select('definition')
    .where('id', '=', serviceId)
    .where('deletion_id', 'is', null)
    .executeTakeFirst();
  if (service === undefined) return undefined;
  const processes = await own
    .selectFrom('service_process')
    .select(['id', 'name', 'definition'])
    .where('service_id', '=', serviceId)
    .orderBy('id')
    .execute();
  const volumes = await definedVolumes(kysely, { id: serviceId, organizationId });
  return {
    ...service.definition,
    processes: Object.fromEntries(
      processes.map(({ id, name, definition }) => [id, withVolumes({ ...definition, name }, volumes.get(id) ?? {})]),
    ),
  };
}

/**
 * The applied values of the variables of these services, all or those with these keys, secret ones decrypted, by service and key.
 * Those shared are of the service `''`.
 */
export async function appliedVariables(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  { organizationId, environmentId }: EnvironmentRef,
  serviceIds: readonly string[],
  keys?: readonly string[],
): Promise<Map<string, Map<string, VariableValue>>> {
  const found = new Map<string, Map<string, VariableValue>>();
  if (serviceIds.length === 0) return found;
  const wanted = keys === undefined ? sql`` : sql`and key = any(${keys}::text[])`;
  const { rows } = await sql<AppliedVariable>`
    select service_id::text as "serviceId", key, value, sealed, build_time as "buildTime" from variable
    where organization_id = ${organizationId} and environment_id = ${environmentId}
      and service_id = any(array_remove(${serviceIds}::text[], '')::uuid[]) ${wanted}
    union all
    select '', key, value, sealed, build_time from shared_variable
    where organization_id = ${organizationId} and environment_id = ${environmentId} and '' = any(${serviceIds}::text[])
      ${wanted}
    order by key
  `.execute(kysely);
  for (const { serviceId, key, value, sealed, buildTime } of rows) {
    const place = variablePlace(environmentId, serviceId, key);
    const of = found.get(serviceId) ?? new Map<string, VariableValue>();
    const plain = sealed === null ? value : await keyring.decryptSecret(organizationId, place, sealed);
    found.set(serviceId, of.set(key, { value: plain, secret: sealed !== null, buildTime: buildTime ?? 'no' }));
  }
  return found;
}

interface AppliedVariable {
  serviceId: string;
  key: string;
  value: string;
  sealed: Buffer | null;
  buildTime: BuildTime | null;
}

/** The place that a secret variable is bound to. The service of a shared one is `''`. */
export function variablePlace(environmentId: string, serviceId: string, key: string): string {
  return `variable:${environmentId}/${serviceId}/${key}:sealed`;
}
