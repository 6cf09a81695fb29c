import type { ProjectRef } from '../../deployments/admission.ts';
import { withdraw } from '../../deployments/withdraw.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Keyring } from '../../keys/keys.ts';
import { tenant } from '../../postgres/tenant.ts';
import { leaveVolumes } from '../../services/removal/left-volumes.ts';
import { deleteUnmounted, reviveMounted } from '../../services/removal/unmounted-volumes.ts';
import { keepRemoved } from '../after/removed.ts';
import { forgetUnused } from '../draft/forget.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import type { Plan } from './plan.ts';
import { writeShared } from './write-shared.ts';
import { writeVariables } from './write-variables.ts';

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
