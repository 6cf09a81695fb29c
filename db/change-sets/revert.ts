import { type AppliedItem, type Inverse, inverseOf } from '../../domain/change-sets/inverse.ts';
import { isChangeSetOver, slotOf } from '../../domain/change-sets/items.ts';
import type { VariableValue } from '../../domain/change-sets/staging.ts';
import { Problem } from '../../domain/problems.ts';
import type { PlacedProcess, ServiceSource } from '../../domain/services/settings.ts';
import { lockAdmission } from '../deployments/admission.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonValue } from '../postgres/json.ts';
import { forbiddenOf } from '../source-credentials/used-by.ts';
import type { AppliedSet } from './after/applied-set.ts';
import { appliedSettings, appliedVariables } from './applied.ts';
import { newValue } from './apply/plan.ts';
import { type Before, beforeOf, type Removed, removedBy, restoring, sharedBefore } from './before.ts';
import { processNamed } from './draft/subjects.ts';
import { lockDraft } from './drafts.ts';
import { draftItems, type ItemRow } from './items.ts';
import { stage } from './stage.ts';
import type { NewItem, Stager } from './staging.ts';

/** A change that is not taken back, and why. */
interface Skipped {
  itemId: string;
  label: string;
  reason: string;
}

/**
 * Stages the inverse of what a change set applied, as far as it is still so; nothing is deployed. Changes that somebody has
 * staged there meanwhile stay. Answers what is staged and what is not.
 */
export async function revertChangeSet(
  effect: Effect,
  keyring: Stager,
  changeSet: AppliedSet,
  by: { id: string; name: string },
): Promise<{ staged: string[]; skipped: Skipped[] }> {
  await lockAdmission(effect, changeSet);
  refuseUnapplied(changeSet);
  const draft = await lockDraft(effect, changeSet);
  const rows = (await draftItems(effect.kysely, changeSet, changeSet.id)).toReversed();
  const taken = new Set((await draftItems(effect.kysely, changeSet, draft.id)).map(({ slot }) => slot));
  const facts = await factsOf(effect, keyring, changeSet, rows);
  const skipped: Skipped[] = [];
  const inverses: { row: ItemRow; inverse: Inverse }[] = [];
  for (const row of rows) {
    const inverse = await facts.inverse(row);
    const reason =
      typeof inverse === 'string' ? inverse : taken.has(slotOf(inverse)) ? 'another change of it is staged' : '';
    if (typeof inverse === 'string' || reason !== '') skipped.push({ itemId: row.id, label: row.label, reason });
    else inverses.push({ row, inverse });
  }
  const left = inverses.filter(({ row }) => !goesAlong(row, inverses));
  if (left.length === 0) throw nothingLeft(skipped);
  const items: NewItem[] = [];
  for (const { inverse } of left)
    if (inverse.kind !== 'service.create') items.push(await itemOf(effect, changeSet, inverse));
  for (const { row, inverse } of left) {
    const removed = facts.removed.get(row.id);
    if (inverse.kind !== 'service.create' || removed === undefined) continue;
    const restored = await restoring(effect, changeSet, draft.id, items, inverse.serviceId, removed);
    items.push(...restored.items);
    skipped.push(...restored.lost.map((one) => ({ itemId: row.id, ...one })));
  }
  const usable = await withoutForbidden(effect, changeSet, items, skipped);
  if (usable.length === 0) throw nothingLeft(skipped);
  await stage(effect, keyring, changeSet, usable, by);
  return { staged: left.map(({ row }) => row.label), skipped };
}

/** Sources whose credential the project has lost since. */
async function withoutForbidden(
  { kysely }: Effect,
  changeSet: AppliedSet,
  items: readonly NewItem[],
  skipped: Skipped[],
): Promise<NewItem[]> {
  const usable: NewItem[] = [];
  for (const item of items) {
    const isSource = item.kind === 'service.set' && item.key === 'source';
    const noun = isSource ? await forbiddenOf(kysely, changeSet, item.to as unknown as ServiceSource) : undefined;
    if (noun === undefined) usable.push(item);
    else {
      const reason = `the ${noun} of the source before is not for this project any more`;
      skipped.push({ itemId: changeSet.id, label: 'Source', reason });
    }
  }
  return usable;
}

function refuseUnapplied({ state, appliedAt }: AppliedSet): void {
  if (state === 'draft') throw new Problem('conflict', 'The changes are staged, not applied: discard them instead.');
  if (!isChangeSetOver(state)) {
    throw new Problem('conflict', 'The change set has not ended: wait for it, or cancel it first.');
  }
  if (appliedAt !== null) return;
  throw new Problem('conflict', `The change set is ${state}: it changed nothing, and its changes are staged again.`);
}

function nothingLeft(skipped: readonly Skipped[]): Problem {
  const named = skipped.slice(0, 5).map(({ label, reason }) => `${label}: ${reason}`);
  const more = skipped.length > named.length ? `; and ${skipped.length - named.length} more` : '';
  const why = named.length === 0 ? 'It had no changes' : `${named.join('; ')}${more}`;
  return new Problem('conflict', `Nothing of the change set is left to revert. ${why}.`);
}

/** With a service or process that is removed again goes all that was set of it. */
function goesAlong(row: ItemRow, inverses: readonly { row: ItemRow; inverse: Inverse }[]): boolean {
  return inverses.some(
    ({ row: other, inverse: { kind } }) =>
      other !== row &&
      ((kind === 'service.remove' && other.service_id === row.service_id) ||
        (kind === 'process.delete' && other.process_id === row.process_id)),
  );
}

async function factsOf(effect: Effect, keyring: Stager, changeSet: AppliedSet, rows: readonly ItemRow[]) {
  const ids = [...new Set(rows.map(({ service_id: id }) => id ?? ''))];
  const services = ids.filter((id) => id !== '');
  const settings = await appliedSettings(effect.kysely, changeSet, services);
  const variables = await appliedVariables(effect.kysely, keyring, changeSet, ids);
  const before = await beforeOf(effect, keyring, changeSet);
  const removed = new Map<string, Removed>();
  for (const row of rows) {
    const kept = await removedBy(keyring, changeSet, row);
    if (kept !== undefined) removed.set(row.id, kept);
  }
  return {
    removed,
    async inverse(row: ItemRow): Promise<Inverse | string> {
      const item = itemOfRow(row);
      const earlier = before.get(item.serviceId);
      const shared = row.service_id === null;
      return inverseOf(item, {
        settings: settings.get(item.serviceId),
        variable: variables.get(item.serviceId)?.get(row.key),
        set: await newValue(keyring, changeSet, row),
        earlier: shared
          ? { known: true, value: await sharedBefore(effect, keyring, changeSet, row.key) }
          : earlierValue(row, earlier),
        removed: removed.get(row.id)?.settings,
        release: earlier && { source: earlier.content.settings.source, digest: earlier.content.image.digest },
      });
    },
  };
}

/** A plain value stands in the item; of a secret one only the release of before knows it. */
function earlierValue(
  { from_value: from, from_build_time: buildTime, key }: ItemRow,
  before: Before | undefined,
): { known: boolean; value?: VariableValue | undefined } {
  const its = { buildTime: buildTime ?? 'no' };
  if (from !== '') return { known: true, value: { value: String(JSON.parse(from)), secret: false, ...its } };
  // No release has a variable of builds alone.
  if (before === undefined || buildTime === 'only') return { known: false };
  const written = before.variables.get(key);
  return { known: true, value: written && { ...written, ...its } };
}

function itemOfRow(row: ItemRow): AppliedItem {
  const parsed = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));
  return {
    ...{ kind: row.kind, serviceId: row.service_id ?? '', key: row.key },
    ...{ processId: row.process_id ?? undefined, volumeId: row.volume_id ?? undefined },
    ...{ from: parsed(row.from_value), to: parsed(row.to_value) },
  };
}

/** A process that was deleted everywhere has no definition any more: it is defined again. */
async function itemOf(effect: Effect, { organizationId }: AppliedSet, inverse: Inverse): Promise<NewItem> {
  const item = { ...inverse, serviceId: inverse.serviceId === '' ? null : inverse.serviceId } as NewItem;
  if (inverse.kind !== 'process.create') return item;
  const { name, ...settings } = inverse.to as PlacedProcess;
  const processId = await processNamed(effect, organizationId, { serviceId: inverse.serviceId, name, settings });
  return { ...item, processId, to: { ...settings, name } satisfies JsonValue };
}
