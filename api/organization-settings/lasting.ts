import type { Kysely } from 'kysely';
import type { Effect } from '../../db/engine/effect.ts';
import { findLasting, type Lasting, lockLasting, setLasting } from '../../db/organizations/organization-settings.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { Problem } from '../../domain/problems.ts';
import { refuseChangedMeanwhile } from '../engine/input/meanwhile.ts';

/** How long something of the organization lasts. */
export async function lastingOf(kysely: Kysely<Tables>, organizationId: string, what: Lasting): Promise<number> {
  const value = await findLasting(kysely, organizationId, what);
  if (value === undefined) throw deleted();
  return value;
}

/** `body` has the one field that is set, and may have `was`. */
export async function makeLast<Field extends string>(
  effect: Effect,
  organizationId: string,
  what: Lasting,
  {
    field,
    wanted,
    was,
  }: { field: Field; wanted: Record<Field, number>; was: { [Name in Field]?: number | undefined } | undefined },
): Promise<void> {
  const before = await lockLasting(effect, organizationId, what);
  if (before === undefined) throw deleted();
  const subject = { organizationId, kind: 'organization', id: organizationId };
  await refuseChangedMeanwhile(effect.kysely, subject, { is: { [field]: before }, was, wanted });
  await setLasting(effect, organizationId, what, wanted[field]);
}

function deleted(): Problem {
  return new Problem('not-found', 'The organization was deleted a moment ago.');
}
