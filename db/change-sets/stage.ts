import { sql } from 'kysely';
import { draftLimits } from '../../domain/change-sets/rules.ts';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { refuseOverwritten } from './draft/refuse-overwritten.ts';
import { forgetUnused } from './draft/unstage.ts';
import { auditDraft, lockDraft, raiseRevision, refuseChanged } from './drafts.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import { deleteItems, insertItems } from './items.ts';
import { type NewItem, type Staged, type Stager, Staging } from './staging.ts';

/**
 * Stages changes in the environment's draft, all or none. A change takes the place of an earlier one of the same thing; one
 * that says what is applied already takes the earlier one back and stages nothing. `staged` spares who shows the draft then the same
 * questions.
 */
export async function stage(
  effect: Effect,
  keyring: Stager,
  place: EnvironmentRef,
  items: readonly NewItem[],
  by: { id: string; name: string },
  expectedRevision?: number,
): Promise<{ changeSetId: string; revision: number; staged: Staged }> {
  const draft = await lockDraft(effect, place);
  await refuseChanged(effect, place, draft, expectedRevision);
  await refuseOverwritten(effect, place, draft.id, items);
  const staging = await Staging.of(effect, keyring, place, draft.id, items);
  for (const item of items) await staging.add(item);
  staging.refuseMounts(items);
  const meant = await staging.meant();
  const { removed, added, labels } = staging;
  if (removed.length === 0 && added.length === 0) {
    const staged = { ...meant, items: staging.itemsWith([]) };
    return { changeSetId: draft.id, revision: draft.revision, staged };
  }
  const revision = await raiseRevision(effect, place, draft);
  await deleteItems(effect.kysely, place.organizationId, removed);
  const stagedBy = { staged_by_id: by.id, staged_by_name: by.name };
  const rows = added.map((row) => ({ ...row, ...stagedBy, revision }));
  const at = await insertItems(effect.kysely, place.organizationId, rows);
  if (rows.length > 0) await refuseTooLarge(effect, place, draft.id);
  const inserted = at === undefined ? [] : rows.map((row) => ({ ...row, created_at: at }));
  await forgetUnused(effect, place.organizationId, { serviceIds: [], processIds: staging.uncreated });
  auditDraft(effect, place, 'staged', draft, labels);
  return { changeSetId: draft.id, revision, staged: { ...meant, items: staging.itemsWith(inserted) } };
}

async function refuseTooLarge({ kysely }: Effect, { organizationId }: EnvironmentRef, draftId: string): Promise<void> {
  const { items, bytes } = await tenant(kysely, organizationId)
    .selectFrom('change_set_item')
    .select(sql<number>`count(*)::int`.as('items'))
    .select(
      sql<number>`sum(octet_length(from_value) + octet_length(to_value) + coalesce(octet_length(sealed_to), 0))::float8`.as(
        'bytes',
      ),
    )
    .where('change_set_id', '=', draftId)
    .executeTakeFirstOrThrow();
  if (items <= draftLimits.items && bytes <= draftLimits.bytes) return;
  const { items: most, bytes: mostBytes } = draftLimits;
  throw new Problem(
    'quota-reached',
    `What is staged in an environment has at most ${most.toLocaleString('en')} changes and ${mostBytes / 2 ** 20} MB, before and after together; apply or discard some first.`,
  );
}
