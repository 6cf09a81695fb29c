import { v7 as uuid } from 'uuid';
import { type ItemKind, itemLabel, slotOf } from '../../domain/change-sets/items.ts';
import {
  type Base,
  type Change,
  changesNothing,
  displaced,
  refuseUnfit,
  valueBefore,
} from '../../domain/change-sets/staging.ts';
import { Problem } from '../../domain/problems.ts';
import { referencesOf } from '../../domain/references/names.ts';
import { filesFault } from '../../domain/services/file-faults.ts';
import { mountFaults } from '../../domain/services/process-faults.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import { volumesFault } from '../../domain/services/volumes.ts';
import type { BuildTime } from '../../domain/variables/build-time.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import type { JsonValue } from '../postgres/json.ts';
import { refuseBuildLeaks } from '../references/build-leaks.ts';
import type { Meanings } from '../references/following.ts';
import { referencesWith, slugsOf } from '../references/referring.ts';
import { refuseBroken } from '../references/refuse.ts';
import { appliedSettings, appliedVariables, definedSettings, withItems } from './applied.ts';
import type { Seen } from './draft/refuse-overwritten.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import { draftItems, type ItemRow, sealedPlace } from './items.ts';

export interface NewItem {
  kind: ItemKind;
  /** Null for a variable that the environment's services share. */
  serviceId: string | null;
  processId?: string;
  volumeId?: string;
  key: string;
  /** In words; by default from the names of service and process. */
  label?: string;
  /** The new value; of a variable its text. Of `service.create` the settings, by default those of the definition. */
  to?: JsonValue;
  /** Of a variable; by default as it was, or not. */
  secret?: boolean;
  buildTime?: BuildTime;
  /** Of a variable, file or setting: it is staged only where that is still so. */
  seen?: Seen;
}

/** The meaning of a draft for the whole environment: its settings, and what values refer to. */
export interface Meant extends Meanings {
  wanted: ReadonlyMap<string, ServiceSettings>;
}

/** A draft as who has just staged in it knows it already. */
export interface Staged extends Meant {
  items: readonly ItemRow[];
}

export type Stager = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;

/** As it is staged: by whom and when is said at the end, of all at once. */
type Row = Omit<ItemRow, 'staged_by_id' | 'staged_by_name' | 'revision' | 'created_at'>;
type Held = Pick<ItemRow, 'id' | 'kind' | 'slot' | 'key' | 'secret' | 'to_value' | 'refers' | 'build_time'> & {
  serviceId: string | null;
  processId: string | null;
  volumeId: string | null;
};

/** The draft in memory while a batch is staged: each change sees those before it. */
export class Staging {
  readonly removed: string[] = [];
  readonly labels: string[] = [];
  /** Processes that were staged to be created. */
  readonly uncreated: string[] = [];
  readonly #parts: { effect: Effect; keyring: Stager; place: EnvironmentRef; draftId: string };
  readonly #applied: Map<string, ServiceSettings>;
  readonly #variables: Awaited<ReturnType<typeof appliedVariables>>;
  readonly #names: ReadonlyMap<string, string>;
  /** As it was before this batch. */
  readonly #before: readonly ItemRow[];
  /** By id, in the order in which they were staged: a batch may have thousands. */
  readonly #held: Map<string, Held>;
  readonly #rows = new Map<string, Row>();
  readonly #slots = new Map<string, Held>();
  /** Those that add or remove something, and the settings with what they add; until one of them comes or goes. */
  #frame: { items: Held[]; settings: Map<string, ServiceSettings> } | undefined;

  private constructor(
    parts: { effect: Effect; keyring: Stager; place: EnvironmentRef; draftId: string },
    before: readonly ItemRow[],
    applied: Map<string, ServiceSettings>,
    variables: Awaited<ReturnType<typeof appliedVariables>>,
    names: ReadonlyMap<string, string>,
  ) {
    this.#parts = parts;
    this.#before = before;
    this.#held = new Map(before.map((row) => [row.id, heldOf(row)]));
    for (const one of this.#held.values()) this.#slots.set(one.slot, one);
    this.#applied = applied;
    this.#variables = variables;
    this.#names = names;
  }

  static async of(
    effect: Effect,
    keyring: Stager,
    place: EnvironmentRef,
    draftId: string,
    items: readonly NewItem[],
  ): Promise<Staging> {
    const { kysely } = effect;
    const ids = [...new Set(items.flatMap(({ serviceId }) => serviceId ?? []))];
    const ofVariables = items.filter(({ kind }) => kind.startsWith('variable.'));
    const [scopes, keys] = [ofVariables.map(({ serviceId }) => serviceId ?? ''), ofVariables.map(({ key }) => key)];
    return new Staging(
      { effect, keyring, place, draftId },
      await draftItems(kysely, place, draftId),
      await appliedSettings(kysely, place),
      await appliedVariables(kysely, keyring, place, [...new Set(scopes)], [...new Set(keys)]),
      await slugsOf(kysely, place, ids),
    );
  }

  get added(): Row[] {
    return [...this.#rows.values()];
  }

  async add(item: NewItem): Promise<void> {
    if (item.serviceId !== null && !this.#names.has(item.serviceId))
      throw new Problem('conflict', 'The service was deleted meanwhile.');
    const base = this.#base(item);
    const change = await this.#change(item, base);
    const label = item.label ?? itemLabel({ ...item, ...this.#namesOf(item, base) });
    refuseUnfit(this.#framing().items, change, base, label);
    const gone = this.#displaced(change);
    const nothing = changesNothing(change, base);
    if (!nothing && gone.length === 1 && gone[0] !== undefined && this.#isSame(gone[0], change)) return;
    this.#take(gone);
    if (!nothing) await this.#put(item, change, base, label);
    if (!nothing || gone.length > 0) this.labels.push(label);
  }

  #base({ serviceId, key }: NewItem): Base {
    return {
      applied: this.#applied,
      settings: this.#framing().settings,
      variable: this.#variables.get(serviceId ?? '')?.get(key),
    };
  }

  #framing() {
    if (this.#frame !== undefined) return this.#frame;
    const items = [...this.#held.values()].filter(({ kind }) => isFrame(kind));
    const creations = items.filter(({ kind }) => kind.endsWith('.create'));
    this.#frame = { items, settings: withItems(this.#applied, creations.map(rowOf)) };
    return this.#frame;
  }

  /** A variable takes the place of the item of its slot alone. */
  #displaced(change: Change): Held[] {
    if (!change.kind.startsWith('variable.')) return displaced([...this.#held.values()], change);
    const held = this.#slots.get(change.slot);
    return held === undefined ? [] : [held];
  }

  async #change(item: NewItem, base: Base): Promise<Change> {
    const { kind, serviceId, processId = null, volumeId = null, key } = item;
    const subject = { kind, serviceId, processId, volumeId, key };
    const slot = slotOf({ ...item, serviceId: serviceId ?? undefined });
    if (kind === 'variable.set') {
      const staged = this.#slots.get(slot);
      const secret = item.secret ?? staged?.secret ?? base.variable?.secret ?? false;
      const buildTime = item.buildTime ?? staged?.build_time ?? base.variable?.buildTime ?? 'no';
      return { ...subject, slot, variable: { value: String(item.to ?? ''), secret, buildTime } };
    }
    const { effect, place } = this.#parts;
    const to =
      kind === 'service.create' && item.to === undefined && serviceId !== null
        ? await definedSettings(effect.kysely, place.organizationId, serviceId)
        : item.to;
    return { ...subject, slot, ...(to === undefined ? {} : { to }) };
  }

  /** Each change may fit what there is, and yet not fit the others: a volume and a second instance. */
  refuseMounts(items: readonly NewItem[]): void {
    const of = items.filter(({ kind }) => ['process.set', 'volume.create', 'file.set'].includes(kind));
    if (of.length === 0) return;
    const wanted = withItems(this.#applied, [...this.#held.values()].map(rowOf));
    for (const serviceId of new Set(of.flatMap((item) => item.serviceId ?? []))) {
      const settings = wanted.get(serviceId);
      if (settings === undefined) continue;
      const [fault] = Object.values(settings.processes).flatMap(mountFaults);
      const found =
        fault === undefined ? (volumesFault(settings) ?? filesFault(settings)) : `${fault.field} ${fault.message}`;
      if (found !== undefined) {
        throw new Problem('conflict', `The service ${this.#names.get(serviceId) ?? ''} cannot be so: ${found}.`);
      }
    }
  }

  /** Refuses references that this breaks, against what is applied and staged, so that the order of a batch does not matter. */
  async meant(): Promise<Meant> {
    const { effect, place } = this.#parts;
    const applied = this.#applied;
    const items = [...this.#held.values()].map(rowOf);
    const wanted = withItems(applied, items);
    const [before, after] = await referencesWith(
      effect.kysely,
      place,
      { items: [], settings: applied },
      { items, settings: wanted },
    );
    const then = this.#before;
    const staged = async () =>
      (await referencesWith(effect.kysely, place, { items: then, settings: withItems(applied, then) }))[0];
    const changed = this.added.map(({ service_id: scope, key }) => ({ scope: scope ?? '', key }));
    await refuseBroken(staged, after, changed);
    const earlier = { settings: withItems(applied, then), items: then };
    await refuseBuildLeaks(effect.kysely, place, { references: after, items }, earlier);
    return { wanted, before, after };
  }

  /** The draft with these rows, in place of those that were displaced. */
  itemsWith(added: readonly ItemRow[]): ItemRow[] {
    const gone = new Set(this.removed);
    const kept = this.#before.filter(({ id }) => !gone.has(id));
    return [...kept, ...added].toSorted(
      (one, other) => one.created_at.getTime() - other.created_at.getTime() || (one.id < other.id ? -1 : 1),
    );
  }

  #namesOf({ serviceId, processId, to }: NewItem, base: Base): { service: string; process: string } {
    const name = typeof to === 'object' && to !== null && 'name' in to ? String(to.name) : '';
    const process = base.settings.get(serviceId ?? '')?.processes[processId ?? '']?.name ?? name;
    return { service: this.#names.get(serviceId ?? '') ?? '', process };
  }

  /** Whether the same is staged already, so that nothing is to be done. Secrets are staged again. */
  #isSame(held: Held, { kind, to, variable }: Change): boolean {
    if (held.secret || variable?.secret === true) return false;
    const isSo = held.to_value === textOf(variable === undefined ? to : variable.value);
    return isSo && held.kind === kind && held.build_time === (variable?.buildTime ?? null);
  }

  #take(gone: readonly Held[]): void {
    const created = gone.filter(({ kind }) => kind === 'process.create');
    this.uncreated.push(...created.flatMap(({ processId }) => processId ?? []));
    for (const { id, slot, kind } of gone) {
      this.#held.delete(id);
      if (this.#slots.get(slot)?.id === id) this.#slots.delete(slot);
      if (isFrame(kind)) this.#frame = undefined;
      if (!this.#rows.delete(id)) this.removed.push(id);
    }
  }

  async #put(item: NewItem, change: Change, base: Base, label: string): Promise<void> {
    const { keyring, place, draftId } = this.#parts;
    const id = uuid();
    const { kind, serviceId, processId, volumeId, key, slot, variable } = change;
    const hidden = variable?.secret === true || (kind.startsWith('variable.') && base.variable?.secret === true);
    const secret = variable?.secret ?? hidden;
    const text = variable === undefined ? undefined : variable.value;
    const row: Row = {
      id,
      environment_id: place.environmentId,
      change_set_id: draftId,
      kind,
      service_id: serviceId,
      process_id: processId,
      volume_id: volumeId,
      slot,
      key,
      label,
      from_value: hidden ? '' : textOf(valueBefore(change, base)),
      to_value: secret ? '' : textOf(variable === undefined ? change.to : text),
      sealed_to:
        secret && text !== undefined ? await keyring.encryptSecret(place.organizationId, sealedPlace(id), text) : null,
      secret,
      managed: false,
      to_empty: text === '',
      refers: (text === undefined ? undefined : referencesOf(text)) ?? null,
      build_time: variable?.buildTime ?? null,
      from_build_time: (kind.startsWith('variable.') ? base.variable?.buildTime : undefined) ?? null,
    };
    this.#rows.set(id, row);
    const { to_value, refers = null, build_time } = row;
    const of = { serviceId: item.serviceId, processId, volumeId };
    const held = { id, kind, slot, key, secret, to_value, refers, build_time, ...of };
    this.#held.set(id, held);
    this.#slots.set(slot, held);
    if (isFrame(kind)) this.#frame = undefined;
  }
}

/** Whether it adds or removes a thing, in place of changing one. */
function isFrame(kind: ItemKind): boolean {
  return !kind.startsWith('variable.') && !kind.endsWith('.set') && !kind.endsWith('.grow');
}

function heldOf({ id, kind, slot, key, secret, to_value, refers, build_time, ...of }: ItemRow): Held {
  const { service_id: serviceId, process_id: processId, volume_id: volumeId } = of;
  return { id, kind, slot, key, secret, to_value, refers, build_time, serviceId, processId, volumeId };
}

function rowOf({ serviceId, processId, volumeId, ...held }: Held) {
  return { ...held, service_id: serviceId, process_id: processId, volume_id: volumeId };
}

/** JSON text, as the API shows it; empty where there is no value. */
function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
