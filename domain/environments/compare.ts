import { isDeepStrictEqual } from 'node:util';
import type { VariableValue } from '../change-sets/staging.ts';
import type { PlacedProcess, ServiceSettings } from '../services/settings.ts';

export const differenceKinds = ['image', 'setting', 'process', 'volume', 'variable'] as const;

/** One thing that is not the same in two environments. */
export interface Difference {
  kind: (typeof differenceKinds)[number];
  /** The name of the process that it belongs to; empty if it is the service's. */
  process: string;
  key: string;
  /** JSON text; empty if it is secret, or not there. */
  from: string;
  to: string;
  secret: boolean;
}

/** A service in one of the two environments. */
export interface Compared {
  settings: ServiceSettings;
  variables: ReadonlyMap<string, VariableValue>;
  /** Of the live release; empty if there is none. */
  digest: string;
}

/** All that tells a service in one environment from the same in another one; in one alone it has no differences. */
export function differencesOf(from: Compared, to: Compared): Difference[] {
  return [
    ...(from.digest === to.digest ? [] : [differing('image', '', 'digest', from.digest, to.digest)]),
    ...settingsBetween(from.settings, to.settings),
    ...processesBetween(from.settings, to.settings),
    ...variablesBetween(from.variables, to.variables),
  ];
}

function settingsBetween(from: ServiceSettings, to: ServiceSettings): Difference[] {
  const { processes: _, ...before } = from;
  const { processes: __, ...after } = to;
  return fieldsBetween('setting', '', before, after);
}

/** By their names: a process that was made anew is the same one. */
function processesBetween(from: ServiceSettings, to: ServiceSettings): Difference[] {
  const before = byName(from);
  const after = byName(to);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const one = before.get(name);
    const other = after.get(name);
    if (one === undefined || other === undefined) {
      return [differing('process', name, '', one?.kind, other?.kind)];
    }
    const { name: _, volumes: volumesBefore = {}, ...fieldsBefore } = one;
    const { name: __, volumes: volumesAfter = {}, ...fieldsAfter } = other;
    const volumes = (of: typeof volumesBefore) =>
      Object.fromEntries(Object.values(of).map(({ name: volume, ...rest }) => [volume, rest]));
    return [
      ...fieldsBetween('process', name, fieldsBefore, fieldsAfter),
      ...fieldsBetween('volume', name, volumes(volumesBefore), volumes(volumesAfter)),
    ];
  });
}

function byName({ processes }: ServiceSettings): Map<string, PlacedProcess> {
  return new Map(Object.values(processes).map((process) => [process.name, process]));
}

function fieldsBetween(kind: Difference['kind'], process: string, from: object, to: object): Difference[] {
  const before = new Map(Object.entries(from));
  const after = new Map(Object.entries(to));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => !isDeepStrictEqual(before.get(key), after.get(key)))
    .map((key) => differing(kind, process, key, before.get(key), after.get(key)));
}

/** Values that are secret on either side are compared here, and shown nowhere. */
export function variablesBetween(
  from: ReadonlyMap<string, VariableValue>,
  to: ReadonlyMap<string, VariableValue>,
): Difference[] {
  return [...new Set([...from.keys(), ...to.keys()])].toSorted().flatMap((key) => {
    const one = from.get(key);
    const other = to.get(key);
    if (one?.value === other?.value && one?.secret === other?.secret) return [];
    const secret = one?.secret === true || other?.secret === true;
    return [
      { ...differing('variable', '', key, secret ? undefined : one?.value, secret ? undefined : other?.value), secret },
    ];
  });
}

function differing(kind: Difference['kind'], process: string, key: string, from: unknown, to: unknown): Difference {
  const text = (value: unknown) => (value === undefined || value === '' ? '' : JSON.stringify(value));
  return { kind, process, key, from: text(from), to: text(to), secret: false };
}
