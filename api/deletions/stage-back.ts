import type { NewItem, Stager } from '../../db/change-sets/staging.ts';
import { mountingSettings } from '../../db/deletions/things/mounting-settings.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { reviveProcesses } from '../../db/services/revive-processes.ts';
import { ofProcess } from '../../db/services/volumes.ts';
import { wantedSettings } from '../../db/services/wanted-settings.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { stageIn } from '../services/service-place.ts';

interface Back {
  organizationId: string;
  environmentId: string;
  environment: string;
  serviceId: string;
  volumeId: string;
}

/**
 * Stages what mounts a volume again in an environment, as the newest release there had it: the volume alone, its process with it, or
 * the whole service, whichever of them is not there any more. Nothing, where it is mounted or no release says how.
 */
export async function stageBack(
  effect: Effect,
  keyring: Stager,
  caller: OrganizationCaller,
  { organizationId, environmentId, environment, serviceId, volumeId }: Back,
): Promise<void> {
  const place = { organizationId, environmentId };
  const frozen = await mountingSettings(effect.kysely, { ...place, serviceId, volumeId });
  if (frozen === undefined) return;
  const wanted = (await wantedSettings(effect.kysely, place, [serviceId])).get(serviceId);
  const settings = await reviveProcesses(effect, { organizationId, serviceId }, only(frozen, volumeId, wanted));
  const item = itemFor({ serviceId, volumeId }, settings, wanted);
  if (item === undefined) return;
  if (item.processId !== undefined) await ofProcess(effect, organizationId, volumeId, item.processId);
  await stageIn(effect, keyring, [{ ...place, name: environment, settings }], [item], caller);
}

/** All of a service that is not there any more; else the process of the volume alone. */
function only(frozen: ServiceSettings, volumeId: string, wanted: ServiceSettings | undefined): ServiceSettings {
  if (wanted === undefined) return frozen;
  const processes = Object.entries(frozen.processes).filter(([, { volumes }]) => volumes?.[volumeId] !== undefined);
  return { ...frozen, processes: Object.fromEntries(processes) };
}

function itemFor(
  { serviceId, volumeId }: Pick<Back, 'serviceId' | 'volumeId'>,
  settings: ServiceSettings,
  wanted: ServiceSettings | undefined,
): NewItem | undefined {
  if (wanted === undefined) return { kind: 'service.create', serviceId, key: '', to: { ...settings } };
  const [processId, process] = Object.entries(settings.processes)[0] ?? [];
  const volume = process?.volumes?.[volumeId];
  if (processId === undefined || process === undefined || volume === undefined) return undefined;
  const there = wanted.processes[processId];
  if (there?.volumes?.[volumeId] !== undefined) return undefined;
  if (there === undefined) return { kind: 'process.create', serviceId, processId, key: '', to: { ...process } };
  return { kind: 'volume.create', serviceId, processId, volumeId, key: volume.name, to: { ...volume } };
}
