import type { Kysely } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { asDraft, type ChangeSetRecord } from './change-sets.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import type { ItemRow } from './items.ts';

export interface ItemView extends ItemRow {
  serviceSlug: string | null;
}

export interface ChangeSetFullView {
  changeSet: ChangeSetRecord;
  items: ItemView[];
  summary: { affectedServiceIds: string[]; needsApproval: boolean; requiresDowntime: boolean };
}

/** The environment's draft with its items. */
export async function changeSetView(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
): Promise<ChangeSetFullView | undefined> {
  const { organizationId, environmentId } = place;
  const draft = await tenant(kysely, organizationId)
    .selectFrom('draft')
    .select(['id', 'revision', 'created_at'])
    .where('environment_id', '=', environmentId)
    .executeTakeFirst();
  if (draft === undefined) return undefined;
  const { id, revision, created_at: createdAt } = draft;
  return await viewOf(kysely, place, { ...asDraft, id, environmentId, revision, createdAt });
}

/** The same of a change set that was applied. */
export async function viewOf(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  changeSet: ChangeSetRecord,
): Promise<ChangeSetFullView> {
  const own = tenant(kysely, place.organizationId);
  const items = await own
    .selectFrom('change_set_item')
    .leftJoin('service', 'service.id', 'change_set_item.service_id')
    .selectAll('change_set_item')
    .select(['service.slug as serviceSlug', 'service.skip_production_approval as skipped'])
    .where('change_set_item.change_set_id', '=', changeSet.id)
    .orderBy('change_set_item.created_at')
    .orderBy('change_set_item.id')
    .execute();
  const environment = await own
    .selectFrom('environment')
    .select('production')
    .where('id', '=', place.environmentId)
    .executeTakeFirst();
  const affectedServiceIds = [...new Set(items.flatMap(({ service_id: id }) => (id === null ? [] : [id])))];
  return {
    changeSet,
    items,
    summary: {
      affectedServiceIds,
      needsApproval: environment?.production === true && items.some(({ skipped }) => skipped !== true),
      // No process has a volume yet: none is stopped before its successor runs.
      requiresDowntime: false,
    },
  };
}
