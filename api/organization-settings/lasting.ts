import type { Kysely } from 'kysely';
import type { Effect } from '../../db/engine/effect.ts';
import { findLasting, type Lasting, setLasting } from '../../db/organizations/organization-settings.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { Problem } from '../../domain/problems.ts';

/** How long something of the organization lasts. */
export async function lastingOf(kysely: Kysely<Tables>, organizationId: string, what: Lasting): Promise<number> {
  const value = await findLasting(kysely, organizationId, what);
  if (value === undefined) throw deleted();
  return value;
}

export async function makeLast(effect: Effect, organizationId: string, what: Lasting, value: number): Promise<void> {
  if (!(await setLasting(effect, organizationId, what, value))) throw deleted();
}

function deleted(): Problem {
  return new Problem('not-found', 'The organization was deleted a moment ago.');
}
