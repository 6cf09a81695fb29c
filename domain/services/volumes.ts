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

/** The name on its cluster of the data that a restore has replaced. */
export function keptName(restoreId: string): string {
  return `r-${restoreId}`;
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

interface VolumeFault {
  field: 'name' | 'mountPath' | 'sizeBytes' | 'storageClass';
  message: string;
}

export const volumeNamePattern = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
const visible = /^\/[\x21-\x7e]+$/;
/** Directories that the machine itself puts into every instance. */
const ofTheMachine = ['/dev', '/proc', '/sys'];

/** Faults of a volume that can be seen from it alone. */
export function volumeFaults({ name, mountPath, sizeBytes }: Omit<VolumeSettings, 'storageClass'>): VolumeFault[] {
  const faults: VolumeFault[] = [];
  if (!volumeNamePattern.test(name)) {
    const message = 'must be 1 to 40 lower case letters, digits and hyphens, a letter first';
    faults.push({ field: 'name', message });
  }
  const path = pathFault(mountPath);
  if (path !== undefined) faults.push({ field: 'mountPath', message: path });
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 1) {
    faults.push({ field: 'sizeBytes', message: 'must be a whole number from 1' });
  }
  return faults;
}

function pathFault(path: string): string | undefined {
  if (path.length > 1024 || !visible.test(path)) {
    return 'must be an absolute path of up to 1,024 visible characters, such as /data';
  }
  const parts = path.slice(1).split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    return 'must be a plain path: without "." and "..", and without a slash at its end or two in a row';
  }
  const machine = ofTheMachine.find((one) => isWithin(path, one));
  return machine === undefined ? undefined : `must not lie in ${machine}, which belongs to the machine`;
}

/** Faults of one more volume beside those that the service has in an environment. */
export function addedVolumeFaults(
  { processes }: ServiceSettings,
  processId: string,
  { name, mountPath }: Pick<VolumeSettings, 'name' | 'mountPath'>,
): VolumeFault[] {
  const faults: VolumeFault[] = [];
  for (const [id, process] of Object.entries(processes)) {
    for (const other of volumesOf(process)) {
      if (other.name === name) {
        faults.push({ field: 'name', message: `is the name of a volume of the process "${process.name}" already` });
      }
      if (id !== processId) continue;
      if (!isWithin(mountPath, other.mountPath) && !isWithin(other.mountPath, mountPath)) continue;
      const message = `overlaps with the volume "${other.name}", which is mounted at ${other.mountPath}`;
      faults.push({ field: 'mountPath', message });
    }
  }
  return faults;
}

/** The first reason for which a service cannot have its volumes, in a sentence; changes were staged one by one. */
export function volumesFault(settings: ServiceSettings): string | undefined {
  const seen: ServiceSettings = { ...settings, processes: {} };
  let count = 0;
  for (const [id, process] of Object.entries(settings.processes)) {
    for (const volume of volumesOf(process)) {
      count += 1;
      const [fault] = [...volumeFaults(volume), ...addedVolumeFaults(seen, id, volume)];
      if (fault !== undefined)
        return `the volume "${volume.name}" of "${process.name}": ${fault.field} ${fault.message}`;
      const before = seen.processes[id] ?? { ...process, volumes: {} };
      seen.processes[id] = { ...before, volumes: { ...before.volumes, [volume.id]: volume } };
    }
  }
  return count > mostVolumes ? `it has ${count} volumes, and ${mostVolumes} are the most` : undefined;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
