import { MockActivityEnvironment } from '@temporalio/testing';
import { expect } from 'vitest';
import { createActivities, type DeploymentActivities } from '../../activities/deployment.ts';
import { decideApproval } from '../../db/approvals/decide.ts';
import { refreshApproval } from '../../db/approvals/refresh.ts';
import { applyDraft } from '../../db/change-sets/apply/apply-draft.ts';
import { discardDraft, unstage } from '../../db/change-sets/draft/unstage.ts';
import { draftItems } from '../../db/change-sets/items.ts';
import { type NewItem, stage } from '../../db/change-sets/stage.ts';
import { admit } from '../../db/deployments/admission.ts';
import { requestDeployment } from '../../db/deployments/request-deployment.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { noSource } from '../../domain/services/settings.ts';
import type { RunningApi } from '../installation/running-api.ts';
import { machine } from '../seeds/seed.ts';
import { type SeededPlace, seedPlace } from '../seeds/seed-place.ts';
import { contentOf, type Deployed, Seen } from './seen.ts';
import { appliedAt, type Change, type Content, canonicalText, changed, placeOf, places, returned } from './wanted.ts';

const people = [
  { id: 'ada', name: 'Ada' },
  { id: 'bob', name: 'Bob' },
] as const;
const nothing: Content = { variables: {}, replicas: 1, command: '', tag: '', digest: '' };
const over = ['live', 'failed', 'superseded', 'cancelled', 'rejected', 'expired'];
const rolls = ['preparing', 'releasing', 'starting', 'checking', 'switching', 'draining'];

const keys = ['A', 'B', 'replicas', 'command', 'source'] as const;
type Key = (typeof keys)[number];

interface Held {
  id: string;
  changeSetId: string;
  changes: Map<string, Change>;
  /** The services that it deploys, with what each of them would be. */
  wanted: Map<number, Content>;
  resolved: string;
  basis: string;
}

/**
 * Two people change, decide on, deploy, cancel, roll back and redeploy two services of a production environment at random:
 * the first is held for approvals, the second is excepted. A model says after each step where each change is to be.
 */
export class DeliveryWalk {
  readonly steps: string[] = [];
  readonly #api: RunningApi;
  readonly #next: (below: number) => number;
  readonly #services: SeededPlace[];
  readonly #seen: Seen;
  #staged = new Map<string, Change>();
  #held: Held[] = [];
  /** Rollbacks and redeployments that wait for an approval. */
  #asked: { id: string; service: number; rollback: Content | undefined; basis: string }[] = [];
  #applied: Content[] = [nothing, nothing];
  /** The content of the release that was made of the applied settings. */
  #made: (string | undefined)[] = [];
  /** By deployment: what was frozen for it. */
  #frozen = new Map<string, Content>();
  #live: { content: Content; deploymentId: string; releaseId: string }[] = [];

  private constructor(api: RunningApi, next: (below: number) => number, services: SeededPlace[]) {
    this.#api = api;
    this.#next = next;
    this.#services = services;
    this.#seen = new Seen(api.database, services);
  }

  static async begin(api: RunningApi, organizationId: string, next: (below: number) => number): Promise<DeliveryWalk> {
    const first = await seedPlace(api.database, organizationId, { production: true, concurrency: 2 });
    const second = await seedPlace(api.database, organizationId, { beside: first });
    const skipping = tenant(api.database.kysely, organizationId).updateTable('service');
    await skipping.set({ skip_production_approval: true }).where('id', '=', second.serviceId).execute();
    const walk = new DeliveryWalk(api, next, [first, second]);
    // Mostly a release runs already, and another one that was scaled: there is something to replace and to return to.
    for (const service of [0, 1]) {
      for (const key of ['source', 'replicas'] as const) if (next(4) > 0) await walk.#seeThrough(service, key);
    }
    return walk;
  }

  async step(): Promise<void> {
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
    await this.#check();
  }

  /** As most changes go. Steps at random alone leave hardly a release behind that one could return to. */
  async #seeThrough(service: number, key?: Key): Promise<void> {
    const steps = [
      () => this.#stage(service, key),
      () => this.#apply(service),
      () => this.#decide('approved'),
      () => this.#claim(),
      () => this.#finish('live'),
    ];
    for (const step of steps) {
      await step();
      await this.#check();
    }
  }

  get #place() {
    const { organizationId, environmentId, projectId } = this.#services[0] as SeededPlace;
    return { organizationId, environmentId, projectId, production: true };
  }

  #run<T>(work: (one: Effect) => Promise<T>): Promise<T> {
    return effect(this.#api.database, machine, work);
  }

  async #stage(service: number, given?: Key): Promise<void> {
    const { serviceId, processId } = this.#services[service] as SeededPlace;
    const key = given ?? keys[this.#next(keys.length)] ?? 'A';
    const n = this.#next(3);
    const to = {
      A: `${n}`,
      B: `${n}`,
      replicas: `${n + 1}`,
      command: `run-${n}`,
      source: `registry.example.com/app:${n}`,
    }[key];
    const unset = key.length === 1 && this.#next(4) === 0;
    const change = { service, key, to: unset ? undefined : to };
    this.steps.push(`stage ${placeOf(change)} = ${change.to}`);
    const items: Partial<Record<Key, NewItem>> = {
      replicas: { kind: 'process.set', serviceId, processId, key, to: n + 1 },
      command: { kind: 'process.set', serviceId, processId, key, to: [`run-${n}`] },
      source: { kind: 'service.set', serviceId, key, to: { ...noSource, imageRepository: to ?? '' } },
    };
    const variable: NewItem = unset
      ? { kind: 'variable.unset', serviceId, key }
      : { kind: 'variable.set', serviceId, key, to: to ?? '' };
    const by = people[this.#next(2) as 0 | 1];
    await this.#run((one) => stage(one, this.#api.keyring, this.#place, [items[key] ?? variable], by));
    // The same tag again asks for the image that it means by now.
    const same = key !== 'source' && appliedAt(this.#applied[service] ?? nothing, key) === change.to;
    if (same) this.#staged.delete(placeOf(change));
    else this.#staged.set(placeOf(change), change);
  }

  async #unstage(): Promise<void> {
    const items = await draftItems(this.#api.database.kysely, this.#place, await this.#seen.draftId());
    const item = items[this.#next(Math.max(1, items.length))];
    if (item === undefined) return;
    const service = this.#services.findIndex(({ serviceId }) => serviceId === item.service_id);
    this.steps.push(`unstage ${service} ${item.key}`);
    await this.#run((one) => unstage(one, this.#place, item.id));
    this.#staged.delete(placeOf({ service, key: item.key }));
  }

  async #discard(): Promise<void> {
    if (this.#next(3) > 0) return;
    this.steps.push('discard');
    const id = await this.#seen.draftId();
    await this.#run((one) => discardDraft(one, this.#place, id));
    this.#staged = new Map();
  }

  #basisOf(services: Iterable<number>): string {
    const of = [...services].toSorted().map((service) => {
      const { content, digest } = {
        content: this.#applied[service] ?? nothing,
        digest: this.#live[service]?.releaseId,
      };
      return [service, canonicalText(content), this.#made[service] ?? null, digest ?? null];
    });
    return JSON.stringify(of);
  }

  async #apply(service: number): Promise<void> {
    const drifts = (await this.#seen.drift())[service] === true;
    const again = drifts && this.#next(2) === 0 ? [service] : [];
    const touched = new Set([...[...this.#staged.values()].map((one) => one.service), ...again]);
    const changeSetId = await this.#seen.draftId();
    const resolved = `sha256:${String(this.#next(4)).repeat(64)}`;
    const images = new Map(
      [...this.#staged.values()].flatMap(({ key, service: its, to }) =>
        key === 'source' && to !== undefined
          ? [[this.#services[its]?.serviceId ?? '', imageOf(to, resolved)] as const]
          : [],
      ),
    );
    this.steps.push(`apply ${JSON.stringify(places(this.#staged))}, ${resolved.slice(7, 8)}, again: ${again.join()}`);
    const request = { changeSetId, title: '', reason: '', source: 'api', downtimeAccepted: false } as const;
    const deployServiceIds = again.map((one) => this.#services[one]?.serviceId ?? '');
    const applying = this.#run((one) =>
      applyDraft(one, this.#api.keyring, this.#place, images, {
        ...request,
        answerableId: undefined,
        deployServiceIds,
      }),
    );
    if (touched.size === 0) return void (await expect(applying).rejects.toThrow('Nothing is staged'));
    const { approvalId, deployments } = await applying;
    const wanted = new Map(
      [...touched].map((one) => [one, changed(this.#applied[one] ?? nothing, one, this.#staged, resolved)] as const),
    );
    expect(approvalId !== undefined).toBe(touched.has(0));
    this.#freeze(deployments, wanted);
    if (approvalId === undefined) this.#makeApplied(wanted);
    else {
      const basis = this.#basisOf(touched);
      this.#held.push({ id: approvalId, changeSetId, changes: this.#staged, wanted, resolved, basis });
    }
    this.#staged = new Map();
  }

  #freeze(deployments: readonly { id: string; serviceId: string }[], wanted: ReadonlyMap<number, Content>): void {
    for (const [service, content] of wanted) {
      const own = deployments.filter(({ serviceId }) => serviceId === this.#services[service]?.serviceId);
      // Without an image nothing runs.
      expect(own).toHaveLength(content.tag === '' ? 0 : 1);
      for (const { id } of own) this.#frozen.set(id, content);
    }
  }

  async #decide(given?: 'approved'): Promise<void> {
    const waiting = [...this.#held, ...this.#asked];
    const chosen = waiting[this.#next(Math.max(1, waiting.length))];
    if (chosen === undefined) return;
    const decision = given ?? (['approved', 'approved', 'rejected', 'expired'] as const)[this.#next(4)] ?? 'approved';
    const touched = 'wanted' in chosen ? chosen.wanted.keys() : [chosen.service];
    const stale = decision === 'approved' && chosen.basis !== this.#basisOf(touched);
    this.steps.push(`${decision} ${chosen.id.slice(-4)}${stale ? ', stale' : ''}`);
    const ref = { ...this.#place, id: chosen.id };
    const deciding = this.#run((one) => decideApproval(one, this.#api.keyring, ref, { decision }));
    if (stale) return void (await expect(deciding).rejects.toMatchObject({ code: 'approval-stale' }));
    await deciding;
    this.#forget(chosen.id);
    if ('wanted' in chosen) {
      if (decision === 'approved') this.#makeApplied(chosen.wanted);
      else this.#staged = returned(this.#staged, chosen.changes);
    } else if (decision === 'approved' && chosen.rollback !== undefined) this.#restore(chosen.service, chosen.rollback);
    const twice = this.#run((one) => decideApproval(one, this.#api.keyring, ref, { decision }));
    await expect(twice).rejects.toMatchObject({ code: 'already-decided' });
  }

  #forget(id: string): void {
    this.#held = this.#held.filter((one) => one.id !== id);
    this.#asked = this.#asked.filter((one) => one.id !== id);
  }

  #makeApplied(wanted: ReadonlyMap<number, Content>): void {
    for (const [service, content] of wanted) {
      this.#applied[service] = content;
      this.#made[service] = content.tag === '' ? undefined : canonicalText(content);
    }
  }

  #restore(service: number, content: Content): void {
    this.#made[service] = canonicalText(content);
    this.#applied[service] = { ...content, replicas: (this.#applied[service] ?? nothing).replicas };
  }

  async #refresh(): Promise<void> {
    const chosen = this.#held[this.#next(Math.max(1, this.#held.length))];
    if (chosen === undefined) return;
    this.steps.push(`refresh ${chosen.id.slice(-4)}`);
    const deploying = new Set(
      (await this.#seen.deployments()).filter(({ approvalId }) => approvalId === chosen.id).map((one) => one.serviceId),
    );
    const id = await this.#run((one) => refreshApproval(one, this.#api.keyring, { ...this.#place, id: chosen.id }));
    for (const one of chosen.wanted.keys()) {
      chosen.wanted.set(one, changed(this.#applied[one] ?? nothing, one, chosen.changes, chosen.resolved));
    }
    const deployments = (await this.#seen.deployments()).filter(({ approvalId }) => approvalId === id);
    expect(deploying.size).toBeLessThanOrEqual(deployments.length);
    this.#freeze(deployments, chosen.wanted);
    Object.assign(chosen, { id, basis: this.#basisOf(chosen.wanted.keys()) });
  }

  async #claim(): Promise<void> {
    const waiting = (await this.#seen.deployments()).filter((one) => one.state === 'pending' && one.waitsFor === null);
    const one = waiting[this.#next(Math.max(1, waiting.length))];
    if (one === undefined) return;
    this.steps.push(`claim ${one.id.slice(-4)}`);
    const says = await this.#act(one, ({ claimDeployment }) => claimDeployment(this.#refOf(one)));
    expect(says.state).toBe('preparing');
  }

  async #finish(given?: 'live'): Promise<void> {
    const rolling = (await this.#seen.deployments()).filter(({ state }) => rolls.includes(state));
    const one = rolling[this.#next(Math.max(1, rolling.length))];
    if (one === undefined) return;
    const state = given ?? (['live', 'live', 'failed', 'cancelled'] as const)[this.#next(4)] ?? 'live';
    this.steps.push(`finish ${one.id.slice(-4)}: ${state}`);
    await this.#act(one, ({ finishDeployment }) => finishDeployment({ ...this.#refOf(one), state }));
    if (state !== 'live') return;
    const service = this.#serviceOf(one);
    const content = this.#frozen.get(one.id) ?? nothing;
    this.#live[service] = { content, deploymentId: one.id, releaseId: one.releaseId };
  }

  async #cancel(): Promise<void> {
    const waiting = (await this.#seen.deployments()).filter(({ state }) => state === 'pending');
    const one = waiting[this.#next(Math.max(1, waiting.length))];
    if (one === undefined) return;
    this.steps.push(`cancel ${one.id.slice(-4)}`);
    await this.#run((running) => admit(running, this.#place, { event: 'cancel', id: one.id, because: 'person' }));
    if (one.waitsFor !== 'approval') return;
    const others = waiting.filter((it) => it.id !== one.id && it.approvalId === one.approvalId);
    const held = this.#held.find(({ id }) => id === one.approvalId);
    if (others.length > 0) return;
    // Nothing is left to approve: the changes return.
    if (held !== undefined) this.#staged = returned(this.#staged, held.changes);
    this.#forget(one.approvalId ?? '');
  }

  async #rollBack(service: number): Promise<void> {
    const past = (await this.#seen.deployments()).filter(
      (one) =>
        this.#serviceOf(one) === service && one.state === 'live' && one.releaseId !== this.#live[service]?.releaseId,
    );
    const one = past[this.#next(Math.max(1, past.length))];
    if (one === undefined) return;
    this.steps.push(`roll ${service} back to ${one.id.slice(-4)}`);
    await this.#request(service, 'rollback', one.releaseId, this.#frozen.get(one.id) ?? nothing);
  }

  async #redeploy(service: number): Promise<void> {
    const live = this.#live[service];
    if (live === undefined) return;
    this.steps.push(`redeploy ${service}`);
    await this.#request(service, 'redeploy', live.releaseId, live.content);
  }

  async #request(service: number, kind: 'rollback' | 'redeploy', releaseId: string, content: Content): Promise<void> {
    const release = { ...(this.#services[service] as SeededPlace), id: releaseId };
    const asked = { kind, queue: true, reason: '', answerableId: undefined, downtimeAccepted: false };
    const requested = await this.#run((one) => requestDeployment(one, this.#api.keyring, release, asked));
    if ('refused' in requested) throw new Error(`Refused: ${requested.refused}.`);
    const { deploymentId, approvalId } = requested;
    this.#frozen.set(deploymentId, content);
    expect(approvalId !== undefined).toBe(service === 0);
    const rollback = kind === 'rollback' ? content : undefined;
    if (approvalId !== undefined) {
      // One that is held supersedes those that are held beside change sets.
      this.#asked = this.#asked.filter((one) => one.service !== service);
      this.#asked.push({ id: approvalId, service, rollback, basis: this.#basisOf([service]) });
    } else if (rollback !== undefined) this.#restore(service, rollback);
  }

  /** As its actor runs them. */
  async #act<T>({ id }: Deployed, run: (activities: DeploymentActivities) => Promise<T>): Promise<T> {
    const { database, keyring } = this.#api;
    const activities = createActivities({
      database,
      keyring,
      archive: async () => undefined,
      ingressDomain: 'localhost',
    });
    const environment = new MockActivityEnvironment({
      workflowExecution: { workflowId: `deployment/${id}`, runId: crypto.randomUUID() },
    });
    return (await environment.run(() => run(activities))) as T;
  }

  #refOf({ id }: Deployed) {
    const { organizationId, projectId } = this.#place;
    return { deploymentId: id, organizationId, projectId };
  }

  #serviceOf({ serviceId }: Pick<Deployed, 'serviceId'>): number {
    return this.#services.findIndex((one) => one.serviceId === serviceId);
  }

  /** Each change is where the model has it, and nowhere else; what serves and what the cluster is told is what was frozen. */
  async #check(): Promise<void> {
    expect(await this.#seen.changes(await this.#seen.draftId()), 'the draft').toEqual(places(this.#staged));
    for (const { changeSetId, changes } of this.#held) {
      expect(await this.#seen.changes(changeSetId), 'a held change set').toEqual(places(changes));
    }
    const deployments = await this.#seen.deployments();
    const approvals = await this.#seen.approvals();
    await this.#dropAnswered(deployments, new Set(approvals.map(({ id }) => id)));
    expect(approvals.map(({ id }) => id).toSorted(), 'what waits for a decision').toEqual(
      [...this.#held, ...this.#asked].map(({ id }) => id).toSorted(),
    );
    for (const { target } of approvals) {
      for (const { releaseId, contentDigest } of target.releases) {
        const release = deployments.find((one) => one.releaseId === releaseId);
        expect(contentDigest, 'the digest that is approved').toBe(release?.digest);
      }
    }
    for (const one of deployments) {
      expect(contentOf(one.content), `the release of ${one.id}`).toEqual(this.#frozen.get(one.id));
    }
    const drift = await this.#seen.drift();
    for (const [service, place] of this.#services.entries()) {
      await this.#checkService(service, place, deployments, drift[service] === true);
    }
  }

  async #checkService(
    service: number,
    place: SeededPlace,
    deployments: readonly Deployed[],
    drift: boolean,
  ): Promise<void> {
    const wanted = this.#applied[service] ?? nothing;
    const { digest: _, ...settings } = wanted;
    expect(await this.#seen.applied(place), `what is applied of ${service}`).toEqual(settings);
    const live = this.#live[service];
    const { releaseId, deploymentId } = await this.#seen.live(place);
    expect({ releaseId, deploymentId }, `what serves of ${service}`).toEqual({
      releaseId: live?.releaseId ?? null,
      deploymentId: live?.deploymentId ?? null,
    });
    const own = deployments.filter((one) => one.serviceId === place.serviceId);
    const rolling = own.filter(({ state }) => rolls.includes(state));
    expect(rolling.length, 'rollouts at one place').toBeLessThanOrEqual(1);
    const told = await this.#seen.told(place);
    const now = rolling[0] ?? own.find(({ id }) => id === live?.deploymentId);
    if (now !== undefined) {
      expect(told?.rollout, 'what the agent is to report').toEqual({ id: now.id, digest: now.digest });
      expect(told?.image.digest).toBe(contentOf(now.content).digest);
    }
    const made = this.#made[service];
    const isLive = made === (live && canonicalText(live.content));
    // Replicas of a rollback are those of today, and so they are no part of the difference.
    const byRollback = own.some(({ id, kind }) => id === live?.deploymentId && kind === 'rollback');
    if (isLive && live !== undefined && !byRollback) expect(live.content, `what serves of ${service}`).toEqual(wanted);
    const coming = own.some(
      ({ id, state, waitsFor }) =>
        !over.includes(state) && waitsFor !== 'approval' && canonicalText(this.#frozen.get(id) ?? nothing) === made,
    );
    // Staged, drifting, coming or live: each applied change is in one of these.
    expect(drift, `drift of ${service}`).toBe(!(isLive || coming));
  }

  /** A request that another one superseded, or that cancelling ended, waits no longer; it had changed nothing. */
  async #dropAnswered(deployments: readonly Deployed[], pending: ReadonlySet<string>): Promise<void> {
    this.#asked = this.#asked.filter(({ id }) => {
      const own = deployments.find(({ approvalId }) => approvalId === id);
      return pending.has(id) || own === undefined || !['superseded', 'cancelled'].includes(own.state);
    });
  }
}

function imageOf(reference: string, digest: string) {
  const image = { repository: 'registry.example.com/app', digest, own: false };
  return { image, imageRef: `${reference}@${digest}`, reference, platforms: null };
}
