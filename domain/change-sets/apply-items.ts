import type { PlacedProcess, ProcessSettings, ServiceSettings, VolumeSettings } from '../services/settings.ts';
import { withVolumes } from '../services/volumes.ts';
import type { ItemKind } from './items.ts';

/** A change, as far as settings need to know it. `to` is absent where something is unset or removed. */
export interface SettingsItem {
  kind: ItemKind;
  serviceId: string | null;
  processId: string | null;
  volumeId?: string | null | undefined;
  key: string;
  to?: unknown;
}

export interface VariableItem<Value> {
  kind: ItemKind;
  serviceId: string | null;
  key: string;
  /** The new value; absent where the variable is unset. */
  value?: Value | undefined;
}

type Settings = ReadonlyMap<string, ServiceSettings>;
type Variables<Value> = ReadonlyMap<string, ReadonlyMap<string, Value>>;

/** Whatever the order in which they were staged: a process is there before it is changed, and a removal has the last word. */
const order: readonly ItemKind[] = [
  'service.create',
  'service.set',
  'file.set',
  'file.unset',
  'process.create',
  'process.set',
  'volume.create',
  'volume.grow',
  'volume.delete',
  'process.delete',
  'service.remove',
];

export const settingsKinds: ReadonlySet<ItemKind> = new Set(order);

/** The settings of an environment's services after these changes. Items that change no settings are passed over. */
export function applyItems(settings: Settings, items: readonly SettingsItem[]): Map<string, ServiceSettings> {
  const result = new Map(settings);
  const byKind = Map.groupBy(items, ({ kind }) => kind);
  for (const kind of order) for (const item of byKind.get(kind) ?? []) apply(result, item);
  return result;
}

function apply(result: Map<string, ServiceSettings>, item: SettingsItem): void {
  const { kind, serviceId, processId, key, to } = item;
  if (serviceId === null) return;
  if (kind === 'service.create') {
    if (!result.has(serviceId)) result.set(serviceId, to as ServiceSettings);
    return;
  }
  const before = result.get(serviceId);
  if (before === undefined) return;
  if (kind === 'service.remove') result.delete(serviceId);
  else if (kind === 'file.set' || kind === 'file.unset') result.set(serviceId, withFile(before, key, to));
  else if (kind === 'service.set') result.set(serviceId, { ...before, [key]: to });
  else if (processId !== null) {
    const processes = kind.startsWith('volume.')
      ? withVolume(before.processes, processId, item)
      : withProcess(before.processes, kind, processId, key, to);
    result.set(serviceId, { ...before, processes });
  }
}

/** By their paths, so that the order in which they were staged is no difference. */
function withFile(settings: ServiceSettings, path: string, variable: unknown): ServiceSettings {
  const others = settings.files.filter((file) => file.path !== path);
  const files = typeof variable === 'string' ? [...others, { path, variable }] : others;
  return { ...settings, files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)) };
}

type Processes = ServiceSettings['processes'];

function withProcess(processes: Processes, kind: ItemKind, id: string, key: string, to: unknown): Processes {
  const { [id]: process, ...others } = processes;
  if (kind === 'process.create') return { ...processes, [id]: to as PlacedProcess };
  if (kind === 'process.delete' || process === undefined) return others;
  const { [key as keyof ProcessSettings]: _, ...rest } = process;
  // Null takes away what a process need not have, such as a port.
  return { ...others, [id]: (to === null ? rest : { ...process, [key]: to }) as Processes[string] };
}

function withVolume(processes: Processes, processId: string, { kind, volumeId, to }: SettingsItem): Processes {
  const process = processes[processId];
  if (process === undefined || volumeId === null || volumeId === undefined) return processes;
  const { [volumeId]: volume, ...others } = process.volumes ?? {};
  const changed = (volumes: Record<string, VolumeSettings>) => ({
    ...processes,
    [processId]: withVolumes(process, volumes),
  });
  if (kind === 'volume.create') return changed({ ...others, [volumeId]: to as VolumeSettings });
  if (volume === undefined) return processes;
  if (kind === 'volume.delete') return changed(others);
  return changed({ ...others, [volumeId]: { ...volume, sizeBytes: to as number } });
}

/** An environment's variables after these changes, those shared as of the service `''`; those of a removed service go with it. */
export function applyVariables<Value>(
  variables: Variables<Value>,
  items: readonly VariableItem<Value>[],
): Map<string, Map<string, Value>> {
  const result = new Map([...variables].map(([id, values]) => [id, new Map(values)]));
  for (const { kind, serviceId: own, key, value } of items) {
    const serviceId = own ?? '';
    const values = result.get(serviceId) ?? new Map<string, Value>();
    if (kind === 'variable.set' && value !== undefined) result.set(serviceId, values.set(key, value));
    if (kind === 'variable.unset') values.delete(key);
  }
  for (const { kind, serviceId } of items)
    if (kind === 'service.remove' && serviceId !== null) result.delete(serviceId);
  return result;
}
