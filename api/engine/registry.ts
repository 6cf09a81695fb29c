import type { AnyOperation } from './operation.ts';

/** Operations in groups, as api/operations.ts lists them. */
export interface Registry {
  readonly [name: string]: AnyOperation | Registry;
}

export interface NamedOperation {
  /** The name in the registry, as in `teams.create`: tRPC, openapi.json, logs and metrics use it. */
  name: string;
  /** The group it stands in, as in `teams`. */
  subject: string;
  operation: AnyOperation;
}

export function isOperation(entry: AnyOperation | Registry): entry is AnyOperation {
  return typeof entry.handle === 'function';
}

/** All operations of a registry with their names. Two of one method and path are a mistake, found at the start. */
export function namedOperations(registry: Registry, prefix: readonly string[] = []): NamedOperation[] {
  const found = Object.entries(registry).flatMap(([key, entry]) =>
    isOperation(entry)
      ? [{ name: [...prefix, key].join('.'), subject: prefix.join('.'), operation: entry }]
      : namedOperations(entry, [...prefix, key]),
  );
  const places = found.map(({ operation }) => `${operation.method} ${operation.url}`);
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined) throw new Error(`Two operations answer ${twice}.`);
  return found;
}
