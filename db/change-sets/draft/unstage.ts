import { sql } from 'kysely';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { referencesWith } from '../../references/referring.ts';
import { refuseBroken } from '../../references/refuse.ts';
import { leaveVolumes } from '../../services/removal/left-volumes.ts';
import { forgetVolumes, removeVolumesOf } from '../../services/volumes.ts';
import { appliedSettings, withItems } from '../applied.ts';
import { auditDraft, lockDraft, raiseRevision } from '../drafts.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { deleteItems, draftItems, type ItemRow, itemValue } from '../items.ts';

/** Whatever has a row of a service keeps it. */
const usedBy = ['environment_service', 'change_set_item', 'release', 'build', 'build_source'] as const;

/**
 * Deletes those of these services that no environment has or had, no draft or held change set adds, and of which nothing was
 * built or uploaded: what was never applied leaves nothing to restore. And those of these processes that no environment has and no draft or held change set
 * names.
 */
export async function forgetUnused(
  effect: Effect,
  organizationId: string,
  { serviceIds, processIds }: { serviceIds: readonly string[]; processIds: readonly string[] },
): Promise<void> {
  const own = tenant(effect.kysely, organizationId);
  if (serviceIds.length > 0) {
    const deleted = await own
      .deleteFrom('service')
      .where('id', 'in', serviceIds)
      .where(({ and, not, exists, selectFrom }) =>
        and(
          usedBy.map((table) =>
            not(exists(selectFrom(table).whereRef('service_id', '=', 'service.id').select(sql.lit(1).as('x')))),
          ),
        ),
      )
      .returning(['id', 'project_id'])
      .execute();
    for (const { id, project_id: projectId } of deleted) {
      effect.change({ organizationId, kind: 'service', id, projectId });
    }
  }
  if (processIds.length === 0) return;
  await own
    .deleteFrom('service_process')
    .where('id', 'in', processIds)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('environment_service')
            .whereRef('environment_service.service_id', '=', 'service_process.service_id')
            .where(sql<boolean>`environment_service.settings -> 'processes' ? service_process.id::text`)
            .select(sql.lit(1).as('x')),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('change_set_item')
            .leftJoin('change_set', 'change_set.id', 'change_set_item.change_set_id')
            .whereRef('change_set_item.service_id', '=', 'service_process.service_id')
            // Adding the service adds the processes that it had when that was staged, too.
            .where(
              sql<boolean>`case when change_set_item.kind = 'service.create'
                then change_set_item.to_value::jsonb -> 'processes' ? service_process.id::text
                else change_set_item.process_id = service_process.id end`,
            )
            // Of a draft, or held; others are past.
            .where(({ eb, or }) => or([eb('change_set.id', 'is', null), eb('change_set.state', '=', 'held')]))
            .select(sql.lit(1).as('x')),
        ),
      ),
    )
    // The service's last process is its default one: whoever adds the service to an environment finds it there.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('service_process as other')
          .whereRef('other.service_id', '=', 'service_process.service_id')
          .whereRef('other.id', '<>', 'service_process.id')
          .select(sql.lit(1).as('x')),
      ),
    )
    .execute();
  await removeVolumesOf(effect, organizationId, processIds);
}

/** Takes one change back, with those that stand on it: those of a service or process that it would have added. */
export async function unstage(effect: Effect, place: EnvironmentRef, id: string): Promise<void> {
  const draft = await lockDraft(effect, place);
  const items = await draftItems(effect.kysely, place, draft.id);
  const item = items.find((one) => one.id === id);
  if (item === undefined) {
    throw new Problem('conflict', 'The change was applied, replaced or discarded meanwhile; look at the draft again.');
  }
  const gone = [item, ...items.filter((one) => one !== item && standsOn(one, item))];
  await refuseNeeded(effect, place, items, gone);
  await take(effect, place, gone);
  await raiseRevision(effect, place, draft);
  auditDraft(effect, place, 'unstaged', draft, [item.label]);
}

/** Others that are staged may refer to what it sets, or what is applied to what it would not unset any more. */
async function refuseNeeded(
  { kysely }: Effect,
  place: EnvironmentRef,
  items: readonly ItemRow[],
  gone: readonly ItemRow[],
): Promise<void> {
  const applied = await appliedSettings(kysely, place);
  const draftOf = (rest: readonly ItemRow[]) => ({ items: rest, settings: withItems(applied, rest) });
  const left = items.filter((one) => !gone.includes(one));
  const [after] = await referencesWith(kysely, place, draftOf(left));
  const before = async () => (await referencesWith(kysely, place, draftOf(items)))[0];
  await refuseBroken(before, after, []);
}

/** Takes all staged changes back. Empty already: nothing happens. */
export async function discardDraft(effect: Effect, place: EnvironmentRef, id: string): Promise<void> {
  const draft = await lockDraft(effect, place);
  if (draft.id !== id) throw notADraft();
  const items = await draftItems(effect.kysely, place, draft.id);
  if (items.length === 0) return;
  await take(effect, place, items);
  await raiseRevision(effect, place, draft);
  auditDraft(
    effect,
    place,
    'discarded',
    draft,
    items.map(({ label }) => label),
  );
}

export function notADraft(): Problem {
  return new Problem('conflict', 'The changes were applied already; revert them, or cancel the deployments.');
}

function standsOn(item: ItemRow, on: ItemRow): boolean {
  if (on.kind === 'service.create') return item.service_id === on.service_id;
  if (on.kind === 'process.create') return item.process_id === on.process_id;
  return on.kind === 'volume.create' && item.volume_id === on.volume_id;
}

async function take(effect: Effect, place: EnvironmentRef, items: readonly ItemRow[]): Promise<void> {
  const { organizationId } = place;
  await deleteItems(
    effect.kysely,
    organizationId,
    items.map(({ id }) => id),
  );
  const created = (kind: ItemRow['kind']) => items.filter((item) => item.kind === kind);
  await forgetVolumes(
    effect,
    organizationId,
    created('volume.create').flatMap((item) => item.volume_id ?? []),
  );
  await forgetUnused(effect, organizationId, {
    serviceIds: created('service.create').flatMap((item) => item.service_id ?? []),
    processIds: [
      ...created('process.create').flatMap((item) => item.process_id ?? []),
      ...created('service.create').flatMap(processesIn),
    ],
  });
  // Data that were to be mounted again, once this was applied, are left again.
  const kinds = ['service.create', 'process.create', 'volume.create'] as const;
  const serviceIds = kinds.flatMap((kind) => created(kind).flatMap((item) => item.service_id ?? []));
  await leaveVolumes(effect, place, { serviceIds: [...new Set(serviceIds)] });
}

/** A service is staged with the processes that it has. */
function processesIn(item: ItemRow): string[] {
  return Object.keys((itemValue(item) as { processes?: object } | undefined)?.processes ?? {});
}
