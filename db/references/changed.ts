import { type Kysely, sql } from 'kysely';
import type { FrozenReferences, Pieces } from '../../domain/references/frozen-references.ts';
import { nodeOf, type References } from '../../domain/references/graph.ts';
import type { Variable } from '../../domain/references/names.ts';
import { CannotResolve, Resolver, type WrittenValue } from '../../domain/references/resolve.ts';
import { canonical } from '../../domain/releases/canonical.ts';
import type { DifferingVariable } from '../../domain/releases/drift.ts';
import { appliedSettings } from '../change-sets/applied.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Tables } from '../postgres/tables.ts';
import { type AppliedValue, valuesAmong } from './applied-values.ts';
import { referencesWith } from './referring.ts';

/** The live release of a service, as far as its references need to be known. */
interface Frozen {
  serviceId: string;
  variables: Record<string, string>;
  references: FrozenReferences | null;
  /** When the values that it refers to were those of the environment. */
  at: Date;
}

/**
 * The variables of these services that lead to other values than their live releases have. Secrets are not opened: a value
 * with something secret in it differs if one that it leads to was applied since.
 */
export async function changedByReferences(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, DifferingVariable[]>> {
  if (serviceIds.length === 0) return new Map();
  const settings = await appliedSettings(kysely, place);
  const [references] = await referencesWith(kysely, place, { settings, items: [] });
  const ids = new Set(serviceIds);
  const own = [...references.referring].filter(({ scope, buildTime }) => ids.has(scope) && buildTime !== 'only');
  const values = await valuesAmong(kysely, place, [...own, ...references.reached(own).variables]);
  const written = new Map<string, WrittenValue>(
    [...values].map(([node, { scope, key, value, secret }]) => [
      node,
      // The text of a secret is not known; whatever else is in its value counts by the time of its change.
      { value: secret ? '' : value, secret, refers: secret ? undefined : references.find({ scope, key })?.refers },
    ]),
  );
  const resolver = new Resolver(references, written);
  const frozen = new Map((await frozenOf(kysely, place, serviceIds)).map((one) => [one.serviceId, one]));
  const found = new Map<string, DifferingVariable[]>();
  for (const variable of own) {
    const its = frozen.get(variable.scope);
    const differing = its && differenceOf(references, resolver, values, variable, its);
    if (differing === undefined) continue;
    found.set(variable.scope, [...(found.get(variable.scope) ?? []), differing]);
  }
  return found;
}

function differenceOf(
  references: References,
  resolver: Resolver,
  values: ReadonlyMap<string, AppliedValue>,
  variable: Variable,
  frozen: Frozen,
): DifferingVariable | undefined {
  const { key } = variable;
  const to = piecesOf(resolver, variable);
  if (to === undefined) return undefined;
  const reached = references.reached([variable]);
  const moved = reached.processes.some(({ serviceId, processId }) => {
    const now = references.names.listening(serviceId).find(({ id }) => id === processId);
    const { serviceId: _, ...then } = frozen.references?.reached[processId] ?? { serviceId };
    return canonical(now ?? null) !== canonical(then);
  });
  if (to.secret) {
    const since = reached.variables.some((one) => (values.get(nodeOf(one))?.at ?? frozen.at) > frozen.at);
    return moved || since ? { key, set: true, secret: true } : undefined;
  }
  const from = frozen.references?.late[key] ?? (key in frozen.variables ? [frozen.variables[key] ?? ''] : undefined);
  // One that was secret then is none now.
  if (from === undefined) return { key, set: true, secret: true };
  if (!moved && canonical(from) === canonical(to.pieces)) return undefined;
  return { key, set: true, secret: false, from: textOf(from), to: textOf(to.pieces) };
}

/** Undefined where it leads nowhere: the next apply refuses that by name. */
function piecesOf(resolver: Resolver, variable: Variable) {
  try {
    return resolver.resolve(variable);
  } catch (error) {
    if (error instanceof CannotResolve) return undefined;
    throw error;
  }
}

/** Addresses are put in when it is delivered: a text with one is not shown. */
function textOf(pieces: Pieces): string | null {
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : null;
}

/** A rollback runs the values of then: they are those that its release was composed with. */
async function frozenOf(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  serviceIds: readonly string[],
): Promise<Frozen[]> {
  const { rows } = await sql<Frozen>`
    select place.service_id as "serviceId", live.content -> 'variables' as variables,
      live.content -> 'references' as references,
      greatest(live.created_at, (
        select max(approval.decided_at) from deployment join approval on approval.organization_id = ${organizationId}
          and approval.id = deployment.approval_id
        where deployment.organization_id = ${organizationId} and deployment.environment_id = ${environmentId}
          and deployment.service_id = place.service_id and deployment.release_id = live.id
          and deployment.kind in ('deploy', 'change-set', 'promote')
      )) as at
    from environment_service place
    join release live on live.organization_id = ${organizationId} and live.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
      and place.service_id = any(${serviceIds}::uuid[])
  `.execute(kysely);
  return rows;
}
