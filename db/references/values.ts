import type { VariableValue } from '../../domain/change-sets/staging.ts';
import { Problem } from '../../domain/problems.ts';
import type { FrozenVariable } from '../../domain/references/frozen.ts';
import type { Reached } from '../../domain/references/frozen-references.ts';
import { nodeOf, type References } from '../../domain/references/graph.ts';
import { CannotResolve, type Resolved, Resolver, type WrittenValue } from '../../domain/references/resolve.ts';

export interface ResolvedVariables {
  variables: Map<string, FrozenVariable>;
  /** The processes whose addresses are put in. */
  reached: Reached[];
}

type Values = ReadonlyMap<string, ReadonlyMap<string, VariableValue>>;

/** The services whose values are needed for those of these services; shared ones are of the service `''`. */
export function scopesFor(references: References, serviceIds: readonly string[]): string[] {
  const own = new Set(serviceIds);
  const from = [...references.referring].filter(({ scope }) => own.has(scope));
  return [...new Set([...serviceIds, ...references.reached(from).variables.map(({ scope }) => scope)])];
}

/** One that leads nowhere is told and left out, where `without` is given; otherwise it is refused. */
interface SeenBy {
  seenBy?: 'releases' | 'builds';
  without?: (key: string, why: string) => void;
}

/** The variables of these services with the values that they refer to put in. `values`: of all services that are needed. */
export function frozenFor(
  references: References,
  values: Values,
  serviceIds: readonly string[],
  { seenBy = 'releases', without }: SeenBy = {},
): Map<string, ResolvedVariables> {
  const written = new Map<string, WrittenValue>();
  for (const [scope, own] of values) {
    for (const [key, value] of own) {
      written.set(nodeOf({ scope, key }), { ...value, refers: references.find({ scope, key })?.refers });
    }
  }
  const resolver = new Resolver(references, written);
  return new Map(
    serviceIds.map((scope) => {
      const own = [...(values.get(scope) ?? new Map<string, VariableValue>())].filter(
        ([, { buildTime }]) => buildTime !== (seenBy === 'releases' ? 'only' : 'no'),
      );
      const variables = own.flatMap(([key, value]): [string, FrozenVariable][] => {
        const resolved = resolve(resolver, { scope, key }, without);
        if (resolved === undefined) return [];
        const { pieces, secret } = resolved;
        const isRead = references.find({ scope, key }) !== undefined;
        return [[key, { pieces, secret, ...(isRead ? { written: value } : {}) }]];
      });
      return [scope, { variables: new Map(variables), reached: reachedBy(references, variables) }];
    }),
  );
}

function resolve(
  resolver: Resolver,
  variable: { scope: string; key: string },
  without: SeenBy['without'],
): Resolved | undefined {
  try {
    return resolver.resolve(variable);
  } catch (error) {
    if (!(error instanceof CannotResolve)) throw error;
    if (without !== undefined) return void without(variable.key, error.message);
    throw new Problem('conflict', `${error.message}. Change its value, then apply again.`);
  }
}

function reachedBy({ names }: References, variables: readonly [string, FrozenVariable][]): Reached[] {
  const reached = new Map<string, Reached>();
  for (const [, { pieces }] of variables) {
    for (const piece of pieces) {
      if (typeof piece === 'string') continue;
      const { serviceId, processId } = piece;
      const one = names.listening(serviceId).find(({ id }) => id === processId);
      if (one !== undefined) reached.set(processId, { serviceId, ...one });
    }
  }
  return [...reached.values()];
}
