import { expect } from 'vitest';
import { decideApproval } from '../../../db/approvals/decide.ts';
import { refreshApproval } from '../../../db/approvals/refresh.ts';
import { applyDraft } from '../../../db/change-sets/apply/apply-draft.ts';
import { discardDraft, unstage } from '../../../db/change-sets/draft/unstage.ts';
import { draftItems } from '../../../db/change-sets/items.ts';
import { stage } from '../../../db/change-sets/stage.ts';
import { Acts, refusalOf } from './acts.ts';
import { checkFrozen } from './check.ts';
import { type Asked, asChanges, type Environment, type HeldSet, withChanges } from './model.ts';
import { dangling, following } from './references.ts';
import {
  imageOf,
  isSecret,
  isVariable,
  itemOf,
  people,
  type Service,
  type Slot,
  scopeOf,
  services,
  valueAt,
} from './vocabulary.ts';

/** Changes of variables and settings, from the first word until they are applied. */
export class Changes extends Acts {
  async stage(number: number, slot: Slot, value: number, person: number): Promise<void> {
    const scope = scopeOf(slot);
    if (!this.model.there().has(scope)) return;
    const environment = this.environment(number);
    const to = valueAt(slot, value);
    const by = people[person % people.length] as (typeof people)[number];
    const staging = this.run((one) =>
      stage(one, this.api.keyring, this.place(number), [itemOf(slot, to, this.ids(scope))], by),
    );
    const staged = new Map(environment.staged);
    // The same tag again asks for the image that it means by now.
    const isApplied = !slot.endsWith('source') && environment.applied.get(slot) === to;
    if (isApplied) staged.delete(slot);
    else if (isSecret(slot) || !staged.has(slot) || staged.get(slot)?.to !== to) staged.set(slot, { to, by: by.name });
    const refusal = await refusalOf(staging);
    this.tell(`${by.name} stages ${slot} = ${to} in ${number}${refusal === undefined ? '' : ', refused'}`);
    expect(refusal === undefined, refusal ?? 'It was to be refused.').toBe(
      !this.#breaks(environment, environment.staged, staged),
    );
    if (refusal !== undefined) return;
    environment.staged = staged;
    // Saying what is applied takes back what is staged, and leaves alone what is held.
    if (isApplied) environment.unask([slot]);
    else environment.want(slot, to);
  }

  /** Whether a reference leads nowhere after these changes that did not after those. */
  #breaks(environment: Environment, before: ReadonlyMap<Slot, Asked>, after: ReadonlyMap<Slot, Asked>): boolean {
    const old = dangling(this.model.here(environment, before));
    return [...dangling(this.model.here(environment, after))].some((one) => !old.has(one));
  }

  async #draftId(number: number): Promise<string> {
    return (await this.seen.drafts())[number] ?? '';
  }

  async unstage(number: number, at: number): Promise<void> {
    const environment = this.environment(number);
    const place = this.place(number);
    const [slot] = [...environment.staged.keys()].toSorted().slice(at % Math.max(1, environment.staged.size));
    if (slot === undefined) return;
    const serviceId = this.ids(scopeOf(slot))?.serviceId ?? null;
    const items = await draftItems(this.api.database.kysely, place, await this.#draftId(number));
    const item = items.find((one) => one.service_id === serviceId && slot.endsWith(` ${one.key}`));
    const left = new Map(environment.staged);
    left.delete(slot);
    const refusal = await refusalOf(this.run((one) => unstage(one, place, item?.id ?? '')));
    this.tell(`unstage ${slot} in ${number}${refusal === undefined ? '' : ', refused'}`);
    expect(refusal === undefined, refusal ?? 'It was to be refused.').toBe(
      !this.#breaks(environment, environment.staged, left),
    );
    if (refusal === undefined) environment.unask([slot]);
  }

  async discard(number: number): Promise<void> {
    const environment = this.environment(number);
    if (environment.staged.size === 0) return;
    const id = await this.#draftId(number);
    await this.run((one) => discardDraft(one, this.place(number), id));
    this.tell(`discard all in ${number}`);
    environment.unask([...environment.staged.keys()]);
  }

  /** At most one change set is held at a time: of several, `DeliveryWalk` knows. */
  async apply(number: number): Promise<void> {
    const environment = this.environment(number);
    if (environment.held !== undefined) return;
    const { staged } = environment;
    const [before, after] = [this.model.here(environment), this.model.here(environment, staged)];
    const changeSetId = await this.#draftId(number);
    const images = new Map(
      services.flatMap((one) => {
        const tag = after.values.get(`${one} source`) ?? '';
        return tag === '' ? [] : [[this.world.services[one].serviceId, imageOf(tag)] as const];
      }),
    );
    const asked = { changeSetId, title: '', reason: '', source: 'api', downtimeAccepted: false } as const;
    const applying = this.run((one) =>
      applyDraft(one, this.api.keyring, this.place(number), images, { ...asked, answerableId: undefined }),
    );
    if (staged.size === 0) {
      expect(await refusalOf(applying)).toContain('Nothing is staged');
      return;
    }
    if (dangling(after).size > 0) {
      this.tell(`apply in ${number}, refused`);
      expect(await refusalOf(applying)).toContain('refers to');
      return;
    }
    const { approvalId, deployments } = await applying;
    this.tell(`apply ${[...staged.keys()].join(', ')} in ${number}${approvalId === undefined ? '' : ', held'}`);
    const affected = new Set([
      ...[...staged.keys()].map(scopeOf).filter((scope) => scope !== 'shared'),
      ...following(before, after, [...staged.keys()].filter(isVariable)),
    ]);
    const starting = [...affected].filter((one) => {
      const tag = after.values.get(`${one} source`) ?? '';
      return tag !== '' && !environment.at[one].suspended;
    });
    const started = deployments.map(({ releaseId, serviceId }) => ({ releaseId, service: this.#named(serviceId) }));
    expect(started.map(({ service }) => service).toSorted(), 'what is deployed').toEqual(starting.toSorted());
    expect(approvalId !== undefined).toBe(environment.production);
    await checkFrozen(this.model, this.seen, after, started);
    environment.staged = new Map();
    // Changes of these services that were held beside it are superseded.
    await this.reconcile();
    if (approvalId === undefined) environment.apply(staged);
    else environment.held = { approvalId, changeSetId, items: staged };
  }

  #named(serviceId: string): Service {
    return services.find((one) => this.world.services[one].serviceId === serviceId) ?? 'db';
  }

  async decide(number: number, which: number, how: number): Promise<void> {
    const environment = this.environment(number);
    const { held } = environment;
    const waiting = [...(held === undefined ? [] : [held.approvalId]), ...environment.asked.keys()];
    const id = waiting[which % Math.max(1, waiting.length)];
    if (id === undefined) return;
    const decision = (['approved', 'approved', 'rejected', 'expired'] as const)[how % 4] ?? 'approved';
    const ref = { ...this.place(number), id };
    const refusal = await refusalOf(this.run((one) => decideApproval(one, this.api.keyring, ref, { decision })));
    this.tell(`${decision} in ${number}${refusal === undefined ? '' : `, ${refusal.slice(0, 16)}`}`);
    const broken = held?.approvalId === id && dangling(this.model.here(environment, held.items)).size > 0;
    if (refusal !== undefined) {
      expect(refusal).toMatch(broken ? /approval-stale|refers to/ : /approval-stale/);
      await this.#refresh(number, id);
      return;
    }
    expect(broken && decision === 'approved', 'broken references are approved').toBe(false);
    const start = environment.asked.get(id);
    environment.asked.delete(id);
    if (start?.rollback !== undefined && decision === 'approved') environment.restore(start.service, start.rollback);
    if (held?.approvalId !== id) return;
    if (decision !== 'approved') {
      environment.returnHeld();
      return;
    }
    environment.apply(held.items);
    environment.held = undefined;
    // The releases that were approved are those of what is applied now.
    const deployments = (await this.seen.deployments()).filter(
      (one) => one.approvalId === id && one.state !== 'superseded',
    );
    await checkFrozen(this.model, this.seen, this.model.here(environment), deployments);
  }

  async #refresh(number: number, id: string): Promise<void> {
    const environment = this.environment(number);
    const { held } = environment;
    const refreshing = this.run((one) => refreshApproval(one, this.api.keyring, { ...this.place(number), id }));
    const refreshed = await refusalOf(refreshing);
    if (refreshed !== undefined) {
      this.tell(`refresh in ${number}, ${refreshed}`);
      return;
    }
    const newer = await refreshing;
    this.tell(`refresh in ${number}`);
    const start = environment.asked.get(id);
    if (start !== undefined) {
      environment.asked.delete(id);
      environment.asked.set(newer, start);
      return;
    }
    environment.held = { ...(held as HeldSet), approvalId: newer };
    const deployments = (await this.seen.deployments()).filter(({ approvalId }) => approvalId === newer);
    const here = {
      values: withChanges(environment.applied, asChanges(held?.items ?? new Map())),
      there: this.model.there(),
    };
    await checkFrozen(this.model, this.seen, here, deployments);
  }
}
