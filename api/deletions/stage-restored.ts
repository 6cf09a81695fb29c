import type { Stager } from '../../db/change-sets/staging.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { findProcess } from '../../db/services/processes.ts';
import { placesOfService } from '../../db/services/wanted-settings.ts';
import { mountFaults } from '../../domain/services/process-faults.ts';
import { addedVolumeFaults } from '../../domain/services/volume-faults.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { theService } from '../services/service.ts';
import { placesOf, stageIn } from '../services/service-place.ts';
import { theVolume } from '../volumes/volume.ts';
import { stageBack } from './stage-back.ts';

/** A restored volume is mounted again in each environment that has its process and room for it, once that is applied. */
export async function stageRestored(
  effect: Effect,
  keyring: Stager,
  caller: OrganizationCaller,
  volumeId: string,
): Promise<void> {
  const { organizationId, serviceId, processId, definition } = await caller.see(theVolume, volumeId, effect.kysely);
  const service = await caller.see(theService, serviceId, effect.kysely);
  if ((await findProcess(effect.kysely, organizationId, processId)) === undefined) {
    // Its process went along with it, and comes back where releases had it.
    for (const place of await placesOfService(effect.kysely, service)) {
      const back = { ...place, environment: place.name, serviceId, volumeId };
      await stageBack(effect, keyring, caller, back);
    }
    return;
  }
  const all = await placesOf(effect, caller, service, undefined);
  const places = all.filter(({ settings }) => {
    const process = settings.processes[processId];
    if (process === undefined || process.volumes?.[volumeId] !== undefined) return false;
    return (
      mountFaults({ ...process, volumes: { new: definition } }).length === 0 &&
      addedVolumeFaults(settings, processId, definition).length === 0
    );
  });
  const item = { kind: 'volume.create' as const, serviceId, processId, volumeId, key: definition.name };
  await stageIn(effect, keyring, places, [{ ...item, to: definition }], caller);
}
