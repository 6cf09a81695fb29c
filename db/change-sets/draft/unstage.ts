import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { referencesWith } from '../../references/referring.ts';
import { refuseBroken } from '../../references/refuse.ts';
import { leaveVolumes } from '../../services/removal/left-volumes.ts';
import { forgetVolumes } from '../../services/volumes.ts';
import { appliedSettings, withItems } from '../applied.ts';
import { auditDraft, lockDraft, raiseRevision } from '../drafts.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { deleteItems, draftItems, type ItemRow, itemValue } from '../items.ts';
import { forgetUnused } from './forget.ts';

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
