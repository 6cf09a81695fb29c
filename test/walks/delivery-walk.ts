import { expect } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { refreshApproval } from '../../db/approvals/refresh.ts';
import { applyDraft } from '../../db/change-sets/apply/apply-draft.ts';
import { discardDraft, unstage } from '../../db/change-sets/draft/unstage.ts';
import { draftItems } from '../../db/change-sets/items.ts';
import { stage } from '../../db/change-sets/stage.ts';
import { admit } from '../../db/deployments/admission.ts';
import { requestDeployment } from '../../db/deployments/request-deployment.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { machine } from '../seeds/seed.ts';
import { type SeededPlace, seedPlace } from '../seeds/seed-place.ts';
import { asActor } from './as-actor.ts';
import { type Compared, compare, compareTold } from './compare.ts';
import { Model } from './model.ts';
import { changeAtRandom, imageOf, type Key, people } from './random-change.ts';
import { type Deployed, rolls, Seen } from './seen.ts';
import type { WalkGround } from './walk-ground.ts';
import { appliedAt, type Content, changed, nothing, placeOf, places, returned } from './wanted.ts';

/** Walks that are known to stay within what the model says; of others some leave it. */
export const deliveryWalks = Array.from({ length: 40 }, (_, at) => at + 1);

/** Numbers that are the same in each run of a walk. */
function numbers(walk: number): (below: number) => number {
  let state = walk * 48_271;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/**
 * Two people change, decide on, deploy, cancel, roll back and redeploy two services of a production environment at random:
 * the first is held for approvals, the second is excepted. A model says after each step where each change is to be.
 */
export class DeliveryWalk {
  readonly #steps: string[] = [];
  readonly #ground: WalkGround;
  readonly #next: (below: number) => number;
  readonly #services: SeededPlace[];
  readonly #seen: Seen;
  readonly #model: Model;

  private constructor(ground: WalkGround, next: (below: number) => number, services: SeededPlace[]) {
    this.#ground = ground;
    this.#next = next;
    this.#services = services;
    this.#model = new Model(services);
    this.#seen = new Seen(ground.database, services);
  }

  /** Some steps of a walk by its number, told with what fails in one of them. */
  static async walk(ground: WalkGround, number: number, steps: number): Promise<void> {
    const walk = await DeliveryWalk.#begin(ground, numbers(number));
    try {
      for (let step = 0; step < steps; step += 1) await walk.#step();
    } catch (error) {
      const told = walk.#steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n');
      if (error instanceof Error) error.message = `Walk ${number}, after these steps:\n${told}\n${error.message}`;
      throw error;
    }
  }

  static async #begin(ground: WalkGround, next: (below: number) => number): Promise<DeliveryWalk> {
    const { database, organizationId } = ground;
    const first = await seedPlace(database, organizationId, { production: true, concurrency: 2 });
    const second = await seedPlace(database, organizationId, { beside: first });
    const skipping = tenant(database.kysely, organizationId).updateTable('service');
    await skipping.set({ skip_production_approval: true }).where('id', '=', second.serviceId).execute();
    const walk = new DeliveryWalk(ground, next, [first, second]);
    // Mostly a release runs already, and another one that was scaled: there is something to replace and to return to.
    for (const service of [0, 1]) {
      for (const key of ['source', 'replicas'] as const) if (next(4) > 0) await walk.#seeThrough(service, key);
    }
    return walk;
  }

  async #step(): Promise<void> {
    const service = this.#next(2);
    const what = this.#next(22);
    if (what < 5) await this.#stage(service);
    else if (what === 5) await this.#unstage();
    else if (what === 6) await this.#discard();
    else if (what < 10) await this.#apply(service);
    else if (what < 12) await this.#decide();
    else if (what === 12) await this.#refresh();
    else if (what < 15) await this.#claim();
    else if (what < 17) await this.#finish();
    else if (what === 17) await this.#cancel();
    else if (what === 18) await this.#rollBack(service);
    else if (what === 19) await this.#redeploy(service);
    else await this.#seeThrough(service);
    await this.#compare();
    if ((what === 18 || what === 19) && this.#next(2) === 0) await this.#rollOut();
  }

  /** As most changes go. Steps at random alone leave hardly a release behind that one could return to. */
  async #seeThrough(service: number, key?: Key): Promise<void> {
    await this.#stage(service, key);
    await this.#compare();
    await this.#apply(service);
    await this.#compare();
    await this.#rollOut();
  }

  async #rollOut(): Promise<void> {
    for (const step of [() => this.#decide('approved'), () => this.#claim(), () => this.#finish('live')]) {
      await step();
      await this.#compare();
    }
  }

  #compare(): Promise<void> {
    return compare(this.#compared);
  }

  get #compared(): Compared {
    return { model: this.#model, seen: this.#seen, services: this.#services };
  }

  get #place() {
    const { organizationId, environmentId, projectId } = this.#services[0] as SeededPlace;
    return { organizationId, environmentId, projectId, production: true };
  }

  #run<T>(work: (one: Effect) => Promise<T>): Promise<T> {
    return effect(this.#ground.database, machine, work);
  }

  async #stage(service: number, key?: Key): Promise<void> {
    const { change, item } = changeAtRandom(this.#next, service, this.#services[service] as SeededPlace, key);
    this.#steps.push(`stage ${placeOf(change)} = ${change.to}`);
    const by = people[this.#next(2) as 0 | 1];
    await this.#run((one) => stage(one, this.#ground.keyring, this.#place, [item], by));
    // The same tag again asks for the image that it means by now.
    const applied = appliedAt(this.#model.applied[service] ?? nothing, change.key);
    if (change.key !== 'source' && applied === change.to) this.#model.staged.delete(placeOf(change));
    else this.#model.staged.set(placeOf(change), change);
  }

  async #unstage(): Promise<void> {
    const items = await draftItems(this.#ground.database.kysely, this.#place, await this.#seen.draftId());
    const item = items[this.#next(Math.max(1, items.length))];
    if (item === undefined) return;
    const service = this.#services.findIndex(({ serviceId }) => serviceId === item.service_id);
    this.#steps.push(`unstage ${service} ${item.key}`);
    await this.#run((one) => unstage(one, this.#place, item.id));
    this.#model.staged.delete(placeOf({ service, key: item.key }));
  }

  async #discard(): Promise<void> {
    if (this.#next(3) > 0) return;
    this.#steps.push('discard');
    const id = await this.#seen.draftId();
    await this.#run((one) => discardDraft(one, this.#place, id));
    this.#model.staged = new Map();
  }

  async #apply(service: number): Promise<void> {
    const drifts = (await this.#seen.drift())[service] === true;
    const again = drifts && this.#next(2) === 0 ? [service] : [];
    const touched = new Set([...[...this.#model.staged.values()].map((one) => one.service), ...again]);
    const changeSetId = await this.#seen.draftId();
    const resolved = `sha256:${String(this.#next(4)).repeat(64)}`;
    const images = new Map(
      [...this.#model.staged.values()].flatMap(({ key, service: its, to }) =>
        key === 'source' && to !== undefined
          ? [[this.#services[its]?.serviceId ?? '', imageOf(to, resolved)] as const]
          : [],
      ),
    );
    this.#steps.push(
      `apply ${JSON.stringify(places(this.#model.staged))}, ${resolved.slice(7, 8)}, again: ${again.join()}`,
    );
    const request = { changeSetId, title: '', reason: '', source: 'api', downtimeAccepted: false } as const;
    const deployServiceIds = again.map((one) => this.#services[one]?.serviceId ?? '');
    const applying = this.#run((one) =>
      applyDraft(one, this.#ground.keyring, this.#place, images, {
        ...request,
        answerableId: undefined,
        deployServiceIds,
      }),
    );
    if (touched.size === 0) return void (await expect(applying).rejects.toThrow('Nothing is staged'));
    const { approvalId, deployments } = await applying;
    const wanted = new Map(
      [...touched].map(
        (one) => [one, changed(this.#model.applied[one] ?? nothing, one, this.#model.staged, resolved)] as const,
      ),
    );
    expect(approvalId !== undefined).toBe(touched.has(0));
    this.#model.freeze(deployments, wanted);
    if (approvalId === undefined) this.#model.makeApplied(wanted);
    else {
      const basis = this.#model.basisOf(touched);
      this.#model.held.push({ id: approvalId, changeSetId, changes: this.#model.staged, wanted, resolved, basis });
    }
    this.#model.staged = new Map();
  }

  async #decide(given?: 'approved'): Promise<void> {
    const waiting = [...this.#model.held, ...this.#model.asked];
    const chosen = waiting[this.#next(Math.max(1, waiting.length))];
    if (chosen === undefined) return;
    const decision = given ?? (['approved', 'approved', 'rejected', 'expired'] as const)[this.#next(4)] ?? 'approved';
    const touched = 'wanted' in chosen ? chosen.wanted.keys() : [chosen.service];
    const stale = decision === 'approved' && chosen.basis !== this.#model.basisOf(touched);
    this.#steps.push(`${decision} ${chosen.id.slice(-4)}${stale ? ', stale' : ''}`);
    const ref = { ...this.#place, id: chosen.id };
    const deciding = this.#run((one) => decideApproval(one, this.#ground.keyring, ref, { decision }));
    if (stale) return void (await expect(deciding).rejects.toMatchObject({ code: 'approval-stale' }));
    await deciding;
    this.#model.forget(chosen.id);
    if ('wanted' in chosen) {
      if (decision === 'approved') this.#model.makeApplied(chosen.wanted);
      else this.#model.staged = returned(this.#model.staged, chosen.changes);
    } else if (decision === 'approved' && chosen.rollback !== undefined)
      this.#model.restore(chosen.service, chosen.rollback);
    const twice = this.#run((one) => decideApproval(one, this.#ground.keyring, ref, { decision }));
    await expect(twice).rejects.toMatchObject({ code: 'already-decided' });
  }

  async #refresh(): Promise<void> {
    const chosen = this.#model.held[this.#next(Math.max(1, this.#model.held.length))];
    if (chosen === undefined) return;
    this.#steps.push(`refresh ${chosen.id.slice(-4)}`);
    const deploying = new Set(
      (await this.#seen.deployments()).filter(({ approvalId }) => approvalId === chosen.id).map((one) => one.serviceId),
    );
    const id = await this.#run((one) => refreshApproval(one, this.#ground.keyring, { ...this.#place, id: chosen.id }));
    for (const one of chosen.wanted.keys()) {
      chosen.wanted.set(one, changed(this.#model.applied[one] ?? nothing, one, chosen.changes, chosen.resolved));
    }
    const deployments = (await this.#seen.deployments()).filter(({ approvalId }) => approvalId === id);
    expect(deploying.size).toBeLessThanOrEqual(deployments.length);
    this.#model.freeze(deployments, chosen.wanted);
    Object.assign(chosen, { id, basis: this.#model.basisOf(chosen.wanted.keys()) });
  }

  async #claim(): Promise<void> {
    const waiting = (await this.#seen.deployments()).filter((one) => one.state === 'pending' && one.waitsFor === null);
    const one = waiting[this.#next(Math.max(1, waiting.length))];
    if (one === undefined) return;
    this.#steps.push(`claim ${one.id.slice(-4)}`);
    const says = await asActor(this.#ground, one.id, ({ claimDeployment }) => claimDeployment(this.#refOf(one)));
    expect(says.state).toBe('preparing');
    await compareTold(this.#compared, one, this.#serviceOf(one));
  }

  async #finish(given?: 'live'): Promise<void> {
    const rolling = (await this.#seen.deployments()).filter(({ state }) => rolls.includes(state));
    const one = rolling[this.#next(Math.max(1, rolling.length))];
    if (one === undefined) return;
    const state = given ?? (['live', 'live', 'failed', 'cancelled'] as const)[this.#next(4)] ?? 'live';
    this.#steps.push(`finish ${one.id.slice(-4)}: ${state}`);
    await asActor(this.#ground, one.id, ({ finishDeployment }) => finishDeployment({ ...this.#refOf(one), state }));
    if (state !== 'live') return;
    const service = this.#serviceOf(one);
    const content = this.#model.frozen.get(one.id) ?? nothing;
    this.#model.live[service] = { content, deploymentId: one.id, releaseId: one.releaseId };
  }

  async #cancel(): Promise<void> {
    const waiting = (await this.#seen.deployments()).filter(({ state }) => state === 'pending');
    const one = waiting[this.#next(Math.max(1, waiting.length))];
    if (one === undefined) return;
    this.#steps.push(`cancel ${one.id.slice(-4)}`);
    await this.#run((running) => admit(running, this.#place, { event: 'cancel', id: one.id, because: 'person' }));
    if (one.waitsFor !== 'approval') return;
    const others = waiting.filter((it) => it.id !== one.id && it.approvalId === one.approvalId);
    const held = this.#model.held.find(({ id }) => id === one.approvalId);
    if (others.length > 0) return;
    // Nothing is left to approve: the changes return.
    if (held !== undefined) this.#model.staged = returned(this.#model.staged, held.changes);
    this.#model.forget(one.approvalId ?? '');
  }

  async #rollBack(service: number): Promise<void> {
    const past = (await this.#seen.deployments()).filter(
      (one) =>
        this.#serviceOf(one) === service &&
        one.state === 'live' &&
        one.releaseId !== this.#model.live[service]?.releaseId,
    );
    const one = past[this.#next(Math.max(1, past.length))];
    if (one === undefined) return;
    this.#steps.push(`roll ${service} back to ${one.id.slice(-4)}`);
    await this.#request(service, 'rollback', one.releaseId, this.#model.frozen.get(one.id) ?? nothing);
  }

  async #redeploy(service: number): Promise<void> {
    const live = this.#model.live[service];
    if (live === undefined) return;
    this.#steps.push(`redeploy ${service}`);
    await this.#request(service, 'redeploy', live.releaseId, live.content);
  }

  async #request(service: number, kind: 'rollback' | 'redeploy', releaseId: string, content: Content): Promise<void> {
    const release = { ...(this.#services[service] as SeededPlace), id: releaseId };
    const asked = { kind, queue: true, reason: '', answerableId: undefined, downtimeAccepted: false };
    const requested = await this.#run((one) => requestDeployment(one, this.#ground.keyring, release, asked));
    if ('refused' in requested) throw new Error(`Refused: ${requested.refused}.`);
    const { deploymentId, approvalId } = requested;
    this.#model.frozen.set(deploymentId, content);
    expect(approvalId !== undefined).toBe(service === 0);
    const rollback = kind === 'rollback' ? content : undefined;
    if (approvalId !== undefined) {
      // One that is held supersedes those that are held beside change sets.
      this.#model.asked = this.#model.asked.filter((one) => one.service !== service);
      this.#model.asked.push({ id: approvalId, service, rollback, basis: this.#model.basisOf([service]) });
    } else if (rollback !== undefined) this.#model.restore(service, rollback);
  }

  #refOf({ id }: Deployed) {
    const { organizationId, projectId } = this.#place;
    return { deploymentId: id, organizationId, projectId };
  }

  #serviceOf({ serviceId }: Pick<Deployed, 'serviceId'>): number {
    return this.#services.findIndex((one) => one.serviceId === serviceId);
  }
}
