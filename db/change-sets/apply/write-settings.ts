import { sql } from 'kysely';
import type { ProjectRef } from '../../deployments/admission.ts';
import { withdraw } from '../../deployments/withdraw.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Keyring } from '../../keys/keys.ts';
import { tenant } from '../../postgres/tenant.ts';
import { variablePlace } from '../applied.ts';
import { forgetUnused } from '../draft/forget.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import type { ItemRow } from '../items.ts';
import { newValue, type Plan } from './plan.ts';

type Seals = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;

/**
 * Makes the changes the environment's: its services with their settings, and their variables. `digests`: of the releases
 * that were made of them, by service.
 */
export async function writeSettings(
  effect: Effect,
  keyring: Seals,
  place: EnvironmentRef & ProjectRef,
  { items, affected, removed }: Plan,
  digests: ReadonlyMap<string, string>,
): Promise<void> {
  const own = tenant(effect.kysely, place.organizationId);
  for (const { serviceId, settings } of affected) {
    const written = { settings, applied_digest: digests.get(serviceId) ?? null };
    await own
      .insertInto('environment_service')
      .values({
        environment_id: place.environmentId,
        service_id: serviceId,
        project_id: place.projectId,
        ...written,
      })
      .onConflict((conflict) => conflict.columns(['environment_id', 'service_id']).doUpdateSet(written))
      .execute();
    effect.change({ organizationId: place.organizationId, kind: 'service', id: serviceId, projectId: place.projectId });
  }
  const kept = new Set(affected.map(({ serviceId }) => serviceId));
  for (const item of items) {
    if (item.service_id !== null && kept.has(item.service_id)) await writeVariable(effect, keyring, place, item);
  }
  for (const serviceId of removed) await removeService(effect, place, serviceId);
  const processIds = items.flatMap(({ kind, process_id: id }) =>
    kind === 'process.delete' && id !== null ? [id] : [],
  );
  await forgetUnused(effect, place.organizationId, { serviceIds: [], processIds });
}

async function writeVariable(effect: Effect, keyring: Seals, place: EnvironmentRef, item: ItemRow): Promise<void> {
  const { service_id: serviceId, key, kind } = item;
  if (serviceId === null || !kind.startsWith('variable.')) return;
  const { organizationId, environmentId } = place;
  const own = tenant(effect.kysely, organizationId);
  const value = await newValue(keyring, place, item);
  if (value === undefined) {
    await own
      .deleteFrom('variable')
      .where('environment_id', '=', environmentId)
      .where('service_id', '=', serviceId)
      .where('key', '=', key)
      .execute();
    return;
  }
  const row = {
    value: value.secret ? '' : value.value,
    sealed: value.secret
      ? await keyring.encryptSecret(organizationId, variablePlace(environmentId, serviceId, key), value.value)
      : null,
    updated_by: item.staged_by_name,
  };
  await own
    .insertInto('variable')
    .values({ ...row, environment_id: environmentId, service_id: serviceId, key })
    .onConflict((conflict) =>
      conflict.columns(['environment_id', 'service_id', 'key']).doUpdateSet({ ...row, updated_at: sql`now()` }),
    )
    .execute();
}

/** What runs of it stops: its workload is no longer wanted, and no deployment of it may begin. */
async function removeService(effect: Effect, place: EnvironmentRef & ProjectRef, serviceId: string): Promise<void> {
  const { organizationId, environmentId, projectId } = place;
  await withdraw(effect, { ...place, serviceId });
  const own = tenant(effect.kysely, organizationId);
  for (const table of ['variable', 'environment_service'] as const) {
    await own
      .deleteFrom(table)
      .where('environment_id', '=', environmentId)
      .where('service_id', '=', serviceId)
      .execute();
  }
  effect.change({ organizationId, kind: 'service', id: serviceId, projectId });
}
