import {
  processesAmong,
  processNamed,
  servicesAmong,
  volumeNamed,
  volumesAmong,
} from '../../db/change-sets/draft/subjects.ts';
import type { NewItem } from '../../db/change-sets/staging.ts';
import type { Effect } from '../../db/engine/effect.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import type { JsonValue } from '../../db/postgres/json.ts';
import { itemRules } from '../../domain/change-sets/rules.ts';
import { defined } from '../../domain/defined.ts';
import type { FieldError, Problem } from '../../domain/problems.ts';
import { newProcess, type ProcessChanges, processFaults } from '../../domain/services/process-faults.ts';
import type { ServiceSource, VolumeSettings } from '../../domain/services/settings.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField, invalidFields } from '../engine/input/input.ts';
import { namedAtHome } from '../registry/names-at-home.ts';
import { refuseUnfitSources } from '../source-credentials/named.ts';
import type { ItemBody } from './item-bodies.ts';

interface Placed {
  item: ItemBody;
  /** Where it stands in the request: `body.items[2]`. */
  at: string;
}

type IdField = 'serviceId' | 'processId' | 'volumeId';

/** The items of a request as the draft takes them: each is checked by its rule, and what it names must be the project's. */
export async function stagedItems(
  effect: Effect,
  caller: OrganizationCaller,
  settings: Settings,
  environment: EnvironmentView,
  given: readonly Placed[],
): Promise<NewItem[]> {
  const faults = given.flatMap(({ item, at }) => faultsOf(item, at));
  if (faults.length > 0) throw invalidFields(faults);
  const placed: Placed[] = [];
  const sources: { source: ServiceSource; location: string }[] = [];
  for (const { item, at } of given) {
    if (item.kind !== 'service.set' || item.key !== 'source') {
      placed.push({ item, at });
      continue;
    }
    const location = `${at}.value`;
    const home = { ...environment, serviceId: item.serviceId };
    const source = await namedAtHome(effect, caller, settings, home, item.value as ServiceSource, location);
    sources.push({ source, location });
    placed.push({ item: { ...item, value: source }, at });
  }
  await refuseUnfitSources(effect, caller, environment.projectId, sources);
  const named = (field: IdField) =>
    placed.flatMap(({ item }) => (item as { [Field in IdField]?: string })[field] ?? []);
  const services = await servicesAmong(effect.kysely, environment, named('serviceId'));
  const processes = await processesAmong(effect.kysely, environment, named('processId'));
  const volumes = await volumesAmong(effect.kysely, environment, named('volumeId'));
  const result: NewItem[] = [];
  for (const { item, at } of placed) {
    const staged =
      item.kind === 'volume.grow' || item.kind === 'volume.delete'
        ? changedVolume(volumes.get(item.volumeId), item, at)
        : await newItem(effect, environment, services, processes, item, at);
    result.push(staged);
  }
  return result;
}

type OfVolume = ItemBody & { kind: 'volume.grow' | 'volume.delete' };

function changedVolume(
  volume: { serviceId: string; processId: string; name: string } | undefined,
  item: OfVolume,
  at: string,
): NewItem {
  const { kind, volumeId } = item;
  if (volume === undefined) throw unknown(`${at}.volumeId`, 'volume', volumeId);
  const { name: key, ...of } = volume;
  return { kind, ...of, volumeId, key, ...(kind === 'volume.grow' ? { to: item.value as JsonValue } : {}) };
}

async function newItem(
  effect: Effect,
  { organizationId }: EnvironmentView,
  services: ReadonlySet<string>,
  processes: ReadonlyMap<string, string>,
  item: ItemBody,
  at: string,
): Promise<NewItem> {
  if ('serviceId' in item && item.serviceId !== undefined && !services.has(item.serviceId))
    throw unknown(`${at}.serviceId`, 'service', item.serviceId);
  switch (item.kind) {
    case 'variable.set':
      return { kind: item.kind, ...keyOf(item), to: item.value, ...saidOf(item), ...seenOf(item, at) };
    case 'file.set':
      return { kind: item.kind, ...keyOf(item), to: item.value, ...seenOf(item, at) };
    case 'service.set':
      return { kind: item.kind, ...keyOf(item), to: item.value as JsonValue, ...seenOf(item, at) };
    case 'variable.unset':
    case 'file.unset':
      return { kind: item.kind, ...keyOf(item), ...seenOf(item, at) };
    case 'process.create': {
      const { serviceId, name } = item;
      const settings = newProcess((item.settings ?? {}) as ProcessChanges);
      const processId = await processNamed(effect, organizationId, { serviceId, name, settings });
      return { kind: item.kind, serviceId, processId, key: '', to: { ...settings, name } };
    }
    case 'process.set':
    case 'process.delete': {
      const serviceId = processes.get(item.processId);
      if (serviceId === undefined) throw unknown(`${at}.processId`, 'process', item.processId);
      const value =
        item.kind === 'process.set' ? { key: item.key, to: item.value as JsonValue, ...seenOf(item, at) } : { key: '' };
      return { kind: item.kind, serviceId, processId: item.processId, ...value };
    }
    case 'volume.create': {
      const { processId, key: name } = item;
      const serviceId = processes.get(processId);
      if (serviceId === undefined) throw unknown(`${at}.processId`, 'process', processId);
      const { mountPath, sizeBytes } = item.value as VolumeSettings;
      const to = { name, mountPath, sizeBytes, storageClass: '' };
      const volumeId = await volumeNamed(effect, { organizationId, serviceId, processId }, to);
      if (volumeId !== undefined) return { kind: item.kind, serviceId, processId, volumeId, key: name, to };
      const message = 'is the name of a volume of another process of the service; choose another one';
      throw invalidField(`${at}.key`, message, name);
    }
    case 'service.create':
    case 'service.remove':
      return { kind: item.kind, serviceId: item.serviceId, key: '' };
    default:
      throw new Error(`Items of the kind ${item.kind} are of volumes that are there.`);
  }
}

function keyOf({ serviceId, key }: { serviceId?: string | undefined; key: string }) {
  return { serviceId: serviceId ?? null, key };
}

function saidOf({ secret, buildTime }: ItemBody & { kind: 'variable.set' }): Pick<NewItem, 'secret' | 'buildTime'> {
  return defined({ secret, buildTime });
}

interface SeenBody {
  itemId?: string | undefined;
  updatedAt?: string | undefined;
  value?: unknown;
}

function seenOf({ seen }: { seen?: SeenBody | undefined }, at: string): Pick<NewItem, 'seen'> {
  if (seen === undefined) return {};
  const updatedAt = seen.updatedAt === undefined ? undefined : new Date(seen.updatedAt);
  return { seen: { ...seen, updatedAt, location: `${at}.value` } };
}

function faultsOf(item: ItemBody, at: string): FieldError[] {
  if (item.kind === 'process.create') return faultsOfProcess(item, at);
  const key = 'key' in item ? item.key : '';
  const value = 'value' in item ? item.value : undefined;
  const fault = itemRules[item.kind].fault({ key, value });
  if (fault === undefined) return [];
  const { field, message } = fault;
  const isSecret = field === 'value' && item.kind === 'variable.set';
  return [{ location: `${at}.${field}`, message, ...(isSecret ? {} : { value: field === 'key' ? key : value }) }];
}

function faultsOfProcess(item: ItemBody & { kind: 'process.create' }, at: string): FieldError[] {
  const faults = Object.entries(item.settings ?? {}).flatMap(([key, value]) => {
    const fault = itemRules['process.set'].fault({ key, value });
    return fault === undefined ? [] : [{ location: `${at}.settings.${key}`, message: fault.message, value }];
  });
  if (faults.length > 0) return faults;
  return processFaults(newProcess((item.settings ?? {}) as ProcessChanges)).map(({ field, message }) => ({
    location: `${at}.settings.${field}`,
    message,
  }));
}

function unknown(location: string, noun: string, value: string): Problem {
  return invalidField(location, `is no ${noun} of this environment's project`, value);
}
