import { sql } from 'kysely';
import type { ProjectRef } from '../../deployments/admission.ts';
import { withdraw } from '../../deployments/withdraw.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Seals } from '../../keys/keys.ts';
import { tenant } from '../../postgres/tenant.ts';
import { deleteUnmounted, leaveVolumes, reviveMounted } from '../../services/removal/left-volumes.ts';
import { variablePlace } from '../applied.ts';
import { keepRemoved } from '../before.ts';
import { forgetUnused } from '../draft/unstage.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import type { ItemRow } from '../items.ts';
import { newValue, type Plan } from './plan.ts';

/** Shared variables are the environment's: services that refer to them are deployed besides. */
async function writeShared(
  effect: Effect,
  keyring: Seals,
  place: EnvironmentRef,
  items: readonly ItemRow[],
): Promise<void> {
  const { organizationId, environmentId } = place;
  const own = tenant(effect.kysely, organizationId);
  const rows = [];
  for (const item of items.filter(({ kind }) => kind === 'variable.set')) {
    const { key, refers, staged_by_name: updatedBy } = item;
    const value = await newValue(keyring, place, item);
    if (value === undefined) continue;
    const bound = variablePlace(environmentId, '', key);
    rows.push({
      ...{ environment_id: environmentId, key, refers, updated_by: updatedBy },
      value: value.secret ? '' : value.value,
      build_time: value.buildTime,
      sealed: value.secret ? await keyring.encryptSecret(organizationId, bound, value.value) : null,
    });
  }
  if (rows.length > 0) {
    await own
      .insertInto('shared_variable')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['environment_id', 'key']).doUpdateSet(({ ref }) => ({
          value: ref('excluded.value'),
          sealed: ref('excluded.sealed'),
          refers: ref('excluded.refers'),
          build_time: ref('excluded.build_time'),
          updated_by: ref('excluded.updated_by'),
          updated_at: sql`now()`,
        })),
      )
      .execute();
  }
  const unset = items.filter(({ kind }) => kind === 'variable.unset').map(({ key }) => key);
  if (unset.length === 0) return;
  await own
    .deleteFrom('shared_variable')
    .where('environment_id', '=', environmentId)
    .where('key', 'in', unset)
    .execute();
}

/** A statement has at most 65,535 values. */
const mostRows = 1_000;

/** Sets and unsets variables, thousands in a few statements. A change set has one item for each. */
async function writeVariables(
  effect: Effect,
  keyring: Seals,
  place: EnvironmentRef,
  items: readonly ItemRow[],
): Promise<void> {
  const ofVariables = items.filter(({ kind }) => kind.startsWith('variable.'));
  for (let from = 0; from < ofVariables.length; from += mostRows) {
    const part = ofVariables.slice(from, from + mostRows);
    await setVariables(effect, keyring, place, part);
    await unsetVariables(effect, place, part);
  }
}

async function setVariables(
  effect: Effect,
  keyring: Seals,
  place: EnvironmentRef,
  items: readonly ItemRow[],
): Promise<void> {
  const { organizationId, environmentId } = place;
  const rows = [];
  for (const item of items) {
    const { service_id: serviceId, key, refers, staged_by_name: updatedBy } = item;
    const value = await newValue(keyring, place, item);
    if (serviceId === null || value === undefined) continue;
    const bound = variablePlace(environmentId, serviceId, key);
    rows.push({
      ...{ environment_id: environmentId, service_id: serviceId, key, refers, updated_by: updatedBy },
      value: value.secret ? '' : value.value,
      build_time: value.buildTime,
      sealed: value.secret ? await keyring.encryptSecret(organizationId, bound, value.value) : null,
    });
  }
  if (rows.length === 0) return;
  await tenant(effect.kysely, organizationId)
    .insertInto('variable')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['environment_id', 'service_id', 'key']).doUpdateSet(({ ref }) => ({
        value: ref('excluded.value'),
        sealed: ref('excluded.sealed'),
        refers: ref('excluded.refers'),
        build_time: ref('excluded.build_time'),
        updated_by: ref('excluded.updated_by'),
        updated_at: sql`now()`,
      })),
    )
    .execute();
}

async function unsetVariables(
  effect: Effect,
  { organizationId, environmentId }: EnvironmentRef,
  items: readonly ItemRow[],
): Promise<void> {
  const unset = items.filter(({ kind }) => kind === 'variable.unset');
  if (unset.length === 0) return;
  const ids = unset.map(({ service_id: id }) => id);
  const keys = unset.map(({ key }) => key);
  await tenant(effect.kysely, organizationId)
    .deleteFrom('variable')
    .where('environment_id', '=', environmentId)
    .where(sql<boolean>`(service_id, key) in (select * from unnest(${ids}::uuid[], ${keys}::text[]))`)
    .execute();
}

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
    const written = { settings, applied_digest: digests.get(serviceId) ?? null, outgrown: false };
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
  const ofKept = items.filter(({ service_id: id }) => id !== null && kept.has(id));
  await writeVariables(effect, keyring, place, ofKept);
  await writeShared(
    effect,
    keyring,
    place,
    items.filter(({ service_id: id }) => id === null),
  );
  for (const serviceId of removed) {
    const item = items.find(({ kind, service_id: id }) => kind === 'service.remove' && id === serviceId);
    await keepRemoved(effect, keyring, place, serviceId, item);
    await removeService(effect, place, serviceId);
  }
  const processIds = items.flatMap(({ kind, process_id: id }) =>
    kind === 'process.delete' && id !== null ? [id] : [],
  );
  await forgetUnused(effect, place.organizationId, { serviceIds: [], processIds });
  const unmounting = items.flatMap(({ kind, service_id: id }) =>
    (kind === 'volume.delete' || kind === 'process.delete') && id !== null ? [id] : [],
  );
  for (const serviceId of new Set(unmounting)) await deleteUnmounted(effect, { ...place, serviceId });
  await leaveVolumes(effect, place, { serviceIds: [...new Set([...unmounting, ...removed])] });
  await reviveMounted(effect, place);
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
