import type { Kysely } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import { nodeOf, type References } from '../../domain/references/graph.ts';
import type { Variable } from '../../domain/references/names.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Tables } from '../postgres/tables.ts';
import { valuesAmong } from './applied-values.ts';
import { referencesWith, type StagedVariable } from './referring.ts';

/** A variable that builds see, and a secret of run time alone that its value is made of. */
export interface BuildLeak {
  variable: Variable;
  secret: Variable;
}

type Staged = StagedVariable & { secret: boolean };

/** What builds would learn of secrets that they are not given, directly or over other variables. */
export async function buildLeaks(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  references: References,
  items: readonly Staged[] = [],
): Promise<BuildLeak[]> {
  const seen = references.ofBuilds();
  if (seen.length === 0) return [];
  const applied = await valuesAmong(kysely, place, references.reached(seen).variables);
  const hidden = new Set(
    [...applied].flatMap(([node, { secret, buildTime }]) => (secret && buildTime === 'no' ? [node] : [])),
  );
  for (const { kind, service_id: scope, key, secret, build_time: buildTime } of items) {
    if (kind !== 'variable.set' && kind !== 'variable.unset') continue;
    const node = nodeOf({ scope: scope ?? '', key });
    if (kind === 'variable.set' && secret && (buildTime ?? 'no') === 'no') hidden.add(node);
    else hidden.delete(node);
  }
  if (hidden.size === 0) return [];
  return seen.flatMap(({ scope, key }) =>
    references
      .reached([{ scope, key }])
      .variables.filter((one) => hidden.has(nodeOf(one)))
      .map((secret) => ({ variable: { scope, key }, secret })),
  );
}

/** Refuses changes after which a build would be given such a secret and was not before: that is asked only then. */
export async function refuseBuildLeaks(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  { references, items }: { references: References; items: readonly Staged[] },
  before: { settings: ReadonlyMap<string, ServiceSettings>; items: readonly Staged[] },
): Promise<void> {
  const leaks = await buildLeaks(kysely, place, references, items);
  if (leaks.length === 0) return;
  const [earlier] = await referencesWith(kysely, place, before);
  const known = new Set((await buildLeaks(kysely, place, earlier, before.items)).map(textOf));
  const [leak, ...more] = leaks.filter((one) => !known.has(textOf(one)));
  if (leak === undefined) return;
  const others = more.length === 0 ? '' : ` So it is with ${more.length} more.`;
  throw new Problem('conflict', `${leakWords(references, leak)}${others}`);
}

function textOf({ variable, secret }: BuildLeak): string {
  return `${nodeOf(variable)} ${nodeOf(secret)}`;
}

export function leakWords({ names }: References, { variable, secret }: BuildLeak): string {
  const [from, to] = [names.labelOf(variable), names.labelOf(secret)];
  return `${from} is given to builds and leads to ${to}, a secret that they are not given: give ${to} its value again and say that builds see it, or take it out of ${from}.`;
}
