import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../problems.ts';
import { parseImage } from '../services/image-reference.ts';
import type { ServiceSettings, ServiceSource, VolumeSettings } from '../services/settings.ts';
import type { BuildTime } from '../variables/build-time.ts';
import type { ItemKind } from './items.ts';

/** An item, as far as it matters for the others. */
export interface Subject {
  kind: ItemKind;
  serviceId: string | null;
  processId: string | null;
  volumeId: string | null;
  key: string;
  slot: string;
}

/** A variable's value, whether it may be shown, and whether builds see it. */
export interface VariableValue {
  value: string;
  secret: boolean;
  buildTime: BuildTime;
}

/** A change that somebody wants to stage. */
export interface Change extends Subject {
  to?: unknown;
  /** Of a variable. */
  variable?: VariableValue | undefined;
}

/** What a change is compared with: that which was applied, and the services and processes that are staged to be added. */
export interface Base {
  applied: ReadonlyMap<string, ServiceSettings>;
  /** With staged services, processes and volumes, and without any other change. */
  settings: ReadonlyMap<string, ServiceSettings>;
  variable: VariableValue | undefined;
}

/** The items that a change takes the place of: those of its slot, and of all that is in what it removes. */
export function displaced<Item extends Subject>(items: readonly Item[], change: Subject): Item[] {
  return items.filter(
    ({ slot, serviceId, processId, volumeId }) =>
      slot === change.slot ||
      (change.kind === 'volume.delete' && volumeId === change.volumeId) ||
      (change.kind === 'service.remove' && serviceId === change.serviceId) ||
      (change.kind === 'process.delete' && processId === change.processId),
  );
}

/** Refuses to change something that is not in the environment, or is about to leave it. */
export function refuseUnfit(items: readonly Subject[], change: Change, base: Base, label: string): void {
  const { kind, serviceId, processId } = change;
  if (serviceId === null || kind === 'service.create' || kind === 'service.remove') return;
  const settings = base.settings.get(serviceId);
  if (settings === undefined) {
    throw new Problem('conflict', `${label}: the service is not in this environment; add it there first.`);
  }
  const leaving = items.find(
    (item) =>
      (item.kind === 'service.remove' && item.serviceId === serviceId) ||
      (item.kind === 'process.delete' && item.processId === processId && kind !== 'process.delete'),
  );
  if (leaving !== undefined) {
    const what = leaving.kind === 'service.remove' ? 'The service' : 'The process';
    throw new Problem(
      'conflict',
      `${label}: ${what.toLowerCase()} is staged to be removed; discard that change first.`,
    );
  }
  const ofProcess = kind === 'process.set' || kind.startsWith('volume.');
  if (ofProcess && processId !== null && settings.processes[processId] === undefined) {
    throw new Problem('conflict', `${label}: the process is not in this environment; add it there first.`);
  }
  refuseUnfitVolume(items, change, base, label);
}

function refuseUnfitVolume(items: readonly Subject[], change: Change, base: Base, label: string): void {
  const { kind, volumeId } = change;
  const leaving = items.some((item) => item.kind === 'volume.delete' && item.volumeId === volumeId);
  if ((kind === 'volume.grow' || kind === 'volume.create') && leaving) {
    throw new Problem('conflict', `${label}: the volume is staged to be deleted; discard that change first.`);
  }
  if (kind !== 'volume.grow') return;
  const volume = volumeIn(base.settings, change);
  if (volume === undefined) {
    throw new Problem('conflict', `${label}: the volume is not in this environment; add it there first.`);
  }
  if (Number(change.to) < volume.sizeBytes) {
    throw new Problem('conflict', `${label}: it has ${volume.sizeBytes} bytes, and a volume only grows.`);
  }
}

function volumeIn(
  settings: ReadonlyMap<string, ServiceSettings>,
  { serviceId, processId, volumeId }: Pick<Subject, 'serviceId' | 'processId' | 'volumeId'>,
): VolumeSettings | undefined {
  return settings.get(serviceId ?? '')?.processes[processId ?? '']?.volumes?.[volumeId ?? ''];
}

/** Whether it changes nothing: then nothing is staged, and an earlier change of the same place is taken back. */
export function changesNothing(change: Change, base: Base): boolean {
  const { kind, serviceId, processId, key, to, variable } = change;
  const applied = base.applied.get(serviceId ?? '');
  const settings = base.settings.get(serviceId ?? '');
  switch (kind) {
    case 'service.create':
      return applied !== undefined;
    case 'service.remove':
      return applied === undefined;
    case 'process.create':
      return applied?.processes[processId ?? ''] !== undefined;
    case 'process.delete':
      return applied?.processes[processId ?? ''] === undefined;
    case 'service.set':
      // The same tag again asks for the image that it means by now.
      if (key === 'source' && namesTag(to)) return false;
      return isDeepStrictEqual(settings?.[key as keyof ServiceSettings], to);
    case 'process.set': {
      const process: Record<string, unknown> = settings?.processes[processId ?? ''] ?? {};
      return isDeepStrictEqual(setOrNull(process[key]), setOrNull(to));
    }
    case 'volume.create':
      return isDeepStrictEqual(volumeIn(base.applied, change), to);
    case 'volume.grow':
      return volumeIn(base.settings, change)?.sizeBytes === to;
    case 'volume.delete':
      return volumeIn(base.applied, change) === undefined;
    case 'file.set':
      return settings?.files.find(({ path }) => path === key)?.variable === to;
    case 'file.unset':
      return !settings?.files.some(({ path }) => path === key);
    case 'variable.set':
      return isDeepStrictEqual(base.variable, variable);
    case 'variable.unset':
      return base.variable === undefined;
    default:
      return false;
  }
}

/** A flag that is off says the same as one that is absent. */
function setOrNull(value: unknown): unknown {
  return value === false ? null : (value ?? null);
}

function namesTag(source: unknown): boolean {
  const { kind, imageRepository } = source as ServiceSource;
  return kind === 'image' && imageRepository !== '' && parseImage(imageRepository)?.digest === undefined;
}

/** The value that a change replaces, for people; absent where nothing was there. */
export function valueBefore(subject: Subject, base: Base): unknown {
  const { kind, serviceId, processId, key } = subject;
  const settings = base.settings.get(serviceId ?? '');
  switch (kind) {
    case 'service.set':
      return settings?.[key as keyof ServiceSettings];
    case 'process.set':
      return (settings?.processes[processId ?? ''] as Record<string, unknown> | undefined)?.[key];
    case 'variable.set':
    case 'variable.unset':
      return base.variable?.value;
    case 'file.set':
    case 'file.unset':
      return settings?.files.find(({ path }) => path === key)?.variable;
    case 'service.remove':
      return base.applied.get(serviceId ?? '');
    case 'process.delete':
      return base.applied.get(serviceId ?? '')?.processes[processId ?? ''];
    case 'volume.grow':
      return volumeIn(base.settings, subject)?.sizeBytes;
    case 'volume.delete':
      return volumeIn(base.applied, subject);
    default:
      return undefined;
  }
}
