import { isDeepStrictEqual } from 'node:util';
import { itemLabel } from '../change-sets/items.ts';
import { processRules, serviceRules } from '../services/field-rules.ts';
import type { PlacedProcess, ServiceSettings } from '../services/settings.ts';
import { volumesOf } from '../services/volumes.ts';

export const driftKinds = [
  'image.set',
  'service.set',
  'file.set',
  'file.unset',
  'process.create',
  'process.set',
  'process.delete',
  'volume.create',
  'volume.grow',
  'volume.delete',
  'variable.set',
  'variable.unset',
] as const;

/** Something that is applied and does not run: `from` is what runs, `to` what is applied. */
export interface DriftItem {
  kind: (typeof driftKinds)[number];
  key: string;
  label: string;
  /** Values; absent where there is none, and of secrets. */
  from?: unknown;
  to?: unknown;
  secret: boolean;
}

/** A variable that differs. */
export interface DifferingVariable {
  key: string;
  /** Null or absent: the live release has none of that name, or none is applied any more. */
  from?: string | null;
  to?: string | null;
  set: boolean;
  secret: boolean;
}

interface Side {
  settings: ServiceSettings;
  /** As people read it. */
  image: string;
}

interface Sides {
  service: string;
  live: Side;
  applied: Side;
  variables: readonly DifferingVariable[];
  /** How many replicas run of each process, by its name, where that is known better than by the release. */
  running?: ReadonlyMap<string, number>;
}

/** The difference between what is applied and what is live, as changes in words. */
export function driftItems({ service, live, applied, variables, running }: Sides): DriftItem[] {
  const item = (kind: DriftItem['kind'], key: string, process: string, from?: unknown, to?: unknown): DriftItem => {
    const label = kind === 'image.set' ? `Image of ${service}` : itemLabel({ kind, key, service, process });
    return { kind, key, label, from, to, secret: false };
  };
  const items: DriftItem[] = [];
  for (const key of Object.keys(serviceRules) as (keyof typeof serviceRules & keyof ServiceSettings)[]) {
    const [from, to] = [live.settings[key], applied.settings[key]];
    if (!isDeepStrictEqual(from, to)) items.push(item('service.set', key, '', from, to));
  }
  // The same tag may mean another image.
  if (live.image !== applied.image && !items.some(({ key }) => key === 'source'))
    items.push(item('image.set', 'image', '', live.image, applied.image));
  items.push(...fileItems(live.settings, applied.settings, item));
  const ids = new Set([...Object.keys(live.settings.processes), ...Object.keys(applied.settings.processes)]);
  for (const id of ids) {
    const [from, to] = [live.settings.processes[id], applied.settings.processes[id]];
    if (from === undefined && to !== undefined) items.push(item('process.create', '', to.name));
    else if (from !== undefined && to === undefined) items.push(item('process.delete', '', from.name));
    else if (from !== undefined && to !== undefined) {
      const replicas = running?.get(from.name) ?? from.replicas;
      // Hundreds of services, most of which differ in nothing but variables.
      if (from === to && replicas === to.replicas) continue;
      items.push(...processItems({ ...from, replicas }, to, item));
    }
  }
  for (const { key, from, to, set, secret } of variables) {
    const kind = set ? 'variable.set' : 'variable.unset';
    items.push({ ...item(kind, key, '', ...(secret ? [] : [from ?? undefined, to ?? undefined])), secret });
  }
  return items;
}

type MakeItem = (kind: DriftItem['kind'], key: string, process: string, from?: unknown, to?: unknown) => DriftItem;

function fileItems(live: ServiceSettings, applied: ServiceSettings, item: MakeItem): DriftItem[] {
  const [before, after] = [live, applied].map(
    ({ files }) => new Map(files.map(({ path, variable }) => [path, variable])),
  );
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].toSorted();
  return paths.flatMap((path) => {
    const [from, to] = [before?.get(path), after?.get(path)];
    if (from === to) return [];
    return [item(to === undefined ? 'file.unset' : 'file.set', path, '', from, to)];
  });
}

function processItems(live: PlacedProcess, applied: PlacedProcess, item: MakeItem): DriftItem[] {
  const items = (Object.keys(processRules) as (keyof typeof processRules & keyof PlacedProcess)[]).flatMap((key) => {
    const [from, to] = [live[key], applied[key]];
    return isDeepStrictEqual(from, to) ? [] : [item('process.set', key, applied.name, from, to)];
  });
  const [before, after] = [live, applied].map((process) => new Map(volumesOf(process).map((one) => [one.id, one])));
  for (const [id, { id: _, ...volume }] of after ?? []) {
    const was = before?.get(id);
    if (was === undefined) items.push(item('volume.create', volume.name, applied.name, undefined, volume));
    else if (was.sizeBytes !== volume.sizeBytes)
      items.push(item('volume.grow', volume.name, applied.name, was.sizeBytes, volume.sizeBytes));
  }
  for (const [id, { id: _, ...volume }] of before ?? [])
    if (!after?.has(id)) items.push(item('volume.delete', volume.name, applied.name, volume));
  return items;
}
