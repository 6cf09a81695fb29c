import type { Kysely } from 'kysely';
import type { ChangeSetSource } from '../../domain/change-sets/items.ts';
import type { ChangeSetState } from '../../domain/change-sets/states.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import type { ItemRow } from './items.ts';

/** A change set, or the draft that becomes one. */
export interface ChangeSetRecord {
  id: string;
  environmentId: string;
  state: ChangeSetState | 'draft';
  approvalId: string | null;
  title: string;
  reason: string;
  source: ChangeSetSource;
  sourceCommit: string | null;
  downtimeAccepted: boolean;
  requestedBy: { id: string; name: string } | null;
  createdAt: Date;
  appliedAt: Date | null;
  finishedAt: Date | null;
  /** Of a draft. */
  revision: number | null;
  /** Why it is as it is. */
  blocker: string | null;
  message: string | null;
}

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
  const changeSet: ChangeSetRecord = {
    id: draft.id,
    environmentId,
    state: 'draft',
    approvalId: null,
    title: '',
    reason: '',
    source: 'console',
    sourceCommit: null,
    downtimeAccepted: false,
    requestedBy: null,
    createdAt: draft.created_at,
    appliedAt: null,
    finishedAt: null,
    revision: draft.revision,
    blocker: null,
    message: null,
  };
  return await viewOf(kysely, place, changeSet);
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
