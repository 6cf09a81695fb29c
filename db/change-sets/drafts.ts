import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import { draftItems } from './items.ts';

export interface DraftRow {
  /** The id of the change set that it becomes. */
  id: string;
  revision: number;
  projectId: string;
  /** The environment's name. */
  name: string;
}

/** The draft, kept from others until the effect ends: whoever stages, discards or applies holds it. */
export async function lockDraft(effect: Effect, place: EnvironmentRef): Promise<DraftRow> {
  const row = await tenant(effect.kysely, place.organizationId)
    .selectFrom('draft')
    .innerJoin('environment', 'environment.id', 'draft.environment_id')
    .select(['draft.id', 'draft.revision', 'environment.project_id as projectId', 'environment.name'])
    .where('draft.environment_id', '=', place.environmentId)
    .where('environment.deletion_id', 'is', null)
    .forUpdate('draft')
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'The environment has been deleted.');
  return row;
}

/** Refuses to go on if the draft is not as the client saw it, and names what was staged since. */
export async function refuseChanged(
  effect: Effect,
  place: EnvironmentRef,
  draft: DraftRow,
  expectedRevision: number | undefined,
): Promise<void> {
  if (expectedRevision === undefined || expectedRevision === draft.revision) return;
  const items = await draftItems(effect.kysely, place, draft.id);
  const newer = items.filter(({ revision }) => revision > expectedRevision);
  const names = newer.slice(0, 5).map(({ label, staged_by_name: by }) => `${label} (${by})`);
  const more = newer.length > names.length ? ` and ${newer.length - names.length} more` : '';
  const changed =
    names.length > 0 ? `staged since: ${names.join(', ')}${more}` : 'items were discarded or applied since';
  throw new Problem(
    'change-set-changed',
    `The staged changes are not those that you saw (revision ${expectedRevision}, now ${draft.revision}): ${changed}. Look at them, then try again.`,
    {
      meanwhile: newer.map(({ id, label, staged_by_name: by, created_at: at }) => ({
        location: `items.${id}`,
        value: label,
        by,
        at: at.toISOString(),
      })),
    },
  );
}

/** Counts the change and tells who looks at the environment's draft. */
export async function raiseRevision(effect: Effect, place: EnvironmentRef, draft: DraftRow): Promise<number> {
  const { revision } = await tenant(effect.kysely, place.organizationId)
    .updateTable('draft')
    .set({ revision: sql`revision + 1` })
    .where('environment_id', '=', place.environmentId)
    .returning('revision')
    .executeTakeFirstOrThrow();
  tellOfDraft(effect, place, draft);
  return revision;
}

/** Gives the environment a new draft, which is empty unless others were kept: the old one's id is a change set's from now on. */
export async function renewDraft(
  effect: Effect,
  place: EnvironmentRef,
  draft: DraftRow,
  next: string = uuid(),
): Promise<void> {
  await tenant(effect.kysely, place.organizationId)
    .updateTable('draft')
    .set({ id: next, revision: sql`revision + 1`, created_at: sql`now()` })
    .where('environment_id', '=', place.environmentId)
    .execute();
  tellOfDraft(effect, place, draft);
}

/** Hints of change sets carry the environment's id: its page shows the draft and those that are under way. */
export function tellOfDraft(
  effect: Effect,
  { organizationId, environmentId }: EnvironmentRef,
  { projectId }: Pick<DraftRow, 'projectId'>,
): void {
  effect.change({ organizationId, kind: 'change_set', id: environmentId, projectId });
}

/** Records a deed with the draft's items, by their labels: values may be secret. */
export function auditDraft(
  effect: Effect,
  { organizationId, environmentId }: EnvironmentRef,
  deed: 'staged' | 'unstaged' | 'discarded' | 'applied',
  { id, name }: Pick<DraftRow, 'id' | 'name'>,
  labels: readonly string[],
): void {
  effect.audit(
    `change_set.${deed}`,
    { organizationId, id, name },
    { environmentId, items: labels.length, changes: labels.slice(0, 100) },
  );
}
