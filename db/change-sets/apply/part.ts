import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { following } from '../../references/following.ts';
import { appliedSettings, withItems } from '../applied.ts';
import type { DraftRow } from '../drafts.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { draftItems } from '../items.ts';

/**
 * Leaves in the draft what is staged of these services, and the shared variables that theirs lead to, since without those they
 * would lead nowhere. All else moves to the draft that follows; answers the id of that one.
 */
export async function keepOthers(
  { kysely }: Effect,
  place: EnvironmentRef,
  draft: DraftRow,
  serviceIds: readonly string[],
): Promise<string> {
  const items = await draftItems(kysely, place, draft.id);
  const applied = await appliedSettings(kysely, place);
  const wanted = withItems(applied, items);
  refuseAbsent(serviceIds, (id) => wanted.has(id) || applied.has(id));
  const { references } = await following(kysely, place, { applied, wanted, items });
  const chosen = new Set(serviceIds);
  const { variables } = references.reached([...references.referring].filter(({ scope }) => chosen.has(scope)));
  const shared = new Set(variables.flatMap(({ scope, key }) => (scope === '' ? [key] : [])));
  const others = items.filter(({ service_id: id, key }) => (id === null ? !shared.has(key) : !chosen.has(id)));
  const next = uuid();
  await tenant(kysely, place.organizationId)
    .updateTable('change_set_item')
    .set({ change_set_id: next })
    .where('change_set_id', '=', draft.id)
    .where(sql<boolean>`id = any(${others.map(({ id }) => id)}::uuid[])`)
    .execute();
  return next;
}

function refuseAbsent(serviceIds: readonly string[], isThere: (id: string) => boolean): void {
  const message = 'is no service of this environment, nor staged there';
  const errors = serviceIds.flatMap((value, index) =>
    isThere(value) ? [] : [{ location: `body.serviceIds[${index}]`, message, value }],
  );
  if (errors.length > 0) throw new Problem('invalid-field', `${errors[0]?.value} ${message}.`, { errors });
}
