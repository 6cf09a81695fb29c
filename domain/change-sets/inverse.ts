import { isDeepStrictEqual } from 'node:util';
import { parseImage } from '../services/image-reference.ts';
import type { PlacedProcess, ServiceSettings, ServiceSource } from '../services/settings.ts';
import type { BuildTime } from '../variables/build-time.ts';
import type { ItemKind } from './items.ts';
import type { VariableValue } from './staging.ts';

/** An item of a change set that was applied. */
export interface AppliedItem {
  kind: ItemKind;
  /** Empty for a variable that the environment's services share. */
  serviceId: string;
  processId: string | undefined;
  volumeId: string | undefined;
  key: string;
  /** As they were staged; absent where there is no value, or none that is shown. */
  from: unknown;
  to: unknown;
}

/** What an item is compared with. */
export interface AsItIs {
  /** The settings of its service as they are applied; absent: the service is not there. */
  settings: ServiceSettings | undefined;
  /** Of a variable: as it is, as the item set it, and as it was before, if that is known. */
  variable: VariableValue | undefined;
  set: VariableValue | undefined;
  earlier: { known: boolean; value?: VariableValue | undefined };
  /** Of a service that was removed: its settings then, if they were kept. */
  removed?: ServiceSettings | undefined;
  /** The release that the settings of before made. */
  release: { source: ServiceSource; digest: string } | undefined;
}

/** A change that takes an earlier one back. */
export interface Inverse {
  kind: ItemKind;
  serviceId: string;
  processId?: string;
  volumeId?: string;
  key: string;
  to?: unknown;
  secret?: boolean;
  buildTime?: BuildTime;
}

const changed = 'it was changed since';

/** The change that takes an item back, or why there is none. */
export function inverseOf(item: AppliedItem, now: AsItIs): Inverse | string {
  const { kind, serviceId, key } = item;
  if (kind.startsWith('variable.')) return inverseOfVariable(item, now);
  const { settings } = now;
  if (kind === 'service.remove') {
    if (settings !== undefined) return 'the service is in the environment again';
    if (now.removed === undefined) return 'its values were not kept: add the service by hand, or roll it back';
    return { kind: 'service.create', serviceId, key: '', to: now.removed };
  }
  if (settings === undefined) return 'its service is not in the environment any more';
  if (kind === 'service.create') return { kind: 'service.remove', serviceId, key: '' };
  if (kind === 'service.set') {
    if (!isDeepStrictEqual(settings[key as keyof ServiceSettings], item.to)) return changed;
    return { kind, serviceId, key, to: key === 'source' ? pinned(item.from, now) : item.from };
  }
  if (kind === 'file.set' || kind === 'file.unset') {
    const now = settings.files.find(({ path }) => path === key)?.variable;
    if (now !== (kind === 'file.set' ? item.to : undefined)) return changed;
    return item.from === undefined
      ? { kind: 'file.unset', serviceId, key }
      : { kind: 'file.set', serviceId, key, to: item.from };
  }
  return inverseOfProcess(item, settings.processes[item.processId ?? '']);
}

function inverseOfVariable({ kind, serviceId, key }: AppliedItem, now: AsItIs): Inverse | string {
  const { settings, variable, set, earlier } = now;
  if (settings === undefined && serviceId !== '') return 'its service is not in the environment any more';
  if (!isDeepStrictEqual(variable, kind === 'variable.set' ? set : undefined)) return changed;
  if (!earlier.known) return 'its earlier value is not known any more';
  const { value } = earlier;
  if (isDeepStrictEqual(value, variable)) return 'it is as it was before';
  if (value === undefined) return { kind: 'variable.unset', serviceId, key };
  const { value: to, secret, buildTime } = value;
  return { kind: 'variable.set', serviceId, key, to, secret, buildTime };
}

function inverseOfProcess(item: AppliedItem, process: PlacedProcess | undefined): Inverse | string {
  const { kind, serviceId, processId = '', volumeId = '', key, from, to } = item;
  const of = { serviceId, processId };
  switch (kind) {
    case 'process.create':
      return process === undefined ? changed : { kind: 'process.delete', ...of, key: '' };
    case 'process.delete': {
      if (process !== undefined) return changed;
      const { volumes = {} } = Object(from) as PlacedProcess;
      if (Object.keys(volumes).length > 0) return 'its volumes went with it: create it anew';
      return { kind: 'process.create', ...of, key: '', to: from };
    }
    case 'process.set': {
      const value: unknown = (process as Record<string, unknown> | undefined)?.[key];
      if (process === undefined || !isDeepStrictEqual(value ?? null, to ?? null)) return changed;
      return { kind, ...of, key, to: from ?? null };
    }
    case 'volume.create':
      if (process?.volumes?.[volumeId] === undefined) return changed;
      return { kind: 'volume.delete', ...of, volumeId, key };
    case 'volume.grow':
      return 'a volume only grows';
    case 'volume.delete':
      return 'a volume that was removed is created anew, without its data';
    default:
      return 'it cannot be reverted';
  }
}

/** A tag may mean another image by now: what ran before is named by its digest. */
function pinned(from: unknown, { release }: AsItIs): unknown {
  const source = from as ServiceSource;
  if (release === undefined || !isDeepStrictEqual(release.source, source) || source.kind !== 'image') return from;
  const named = parseImage(source.imageRepository);
  if (named === undefined || named.digest !== undefined) return from;
  return { ...source, imageRepository: `${source.imageRepository}@${release.digest}` };
}
