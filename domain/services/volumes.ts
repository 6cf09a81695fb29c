import type { PlacedProcess, ServiceSettings, VolumeSettings } from './settings.ts';

/** So many volumes a service may have: an agent takes fifty in a workload, and nobody needs half of that. */
export const mostVolumes = 20;

/**
 * The name of a volume on its cluster, where it belongs to one service in one environment. It follows from the id alone, so
 * that data are found again by each release, after a rollback and whatever is renamed.
 */
export function volumeName(id: string): string {
  return `v-${id}`;
}

/** The volumes of a process, in an order that every reader sees. */
export function volumesOf({ volumes = {} }: Pick<PlacedProcess, 'volumes'>): (VolumeSettings & { id: string })[] {
  return Object.entries(volumes)
    .map(([id, volume]) => ({ ...volume, id }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** The process after its volumes were changed: without any it has no field of them. */
export function withVolumes(
  { volumes: _, ...process }: PlacedProcess,
  volumes: Record<string, VolumeSettings>,
): PlacedProcess {
  return Object.keys(volumes).length === 0 ? process : { ...process, volumes };
}

/** The settings as far as a change of them needs new instances: neither replicas nor sizes of volumes do. */
export function replacing(settings: ServiceSettings): ServiceSettings {
  const processes = Object.entries(settings.processes).map(([id, process]) => {
    const sizeless = volumesOf(process).map(({ id: of, ...volume }) => [of, { ...volume, sizeBytes: 0 }]);
    return [id, withVolumes({ ...process, replicas: 0 }, Object.fromEntries(sizeless))];
  });
  return { ...settings, processes: Object.fromEntries(processes) };
}
