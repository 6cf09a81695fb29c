import type { Parts } from './acts.ts';
import { Changes } from './changes.ts';
import { check } from './check.ts';
import { Deletions } from './deletions.ts';
import { Model } from './model.ts';
import { Rollouts } from './rollouts.ts';
import { Seen } from './seen.ts';
import type { Step } from './steps.ts';
import { isVariable, type Service, services, slots } from './vocabulary.ts';
import { seedWorld } from './world.ts';

/**
 * Two people stage, discard, apply, decide, deploy, suspend, roll back, delete and restore at random, in the two environments of
 * a project whose services refer to each other. After each step `check` says that nothing of it is lost.
 */
export class EnvironmentWalk {
  /** The steps in words. */
  readonly told: string[] = [];
  readonly #parts: Parts;
  readonly #changes: Changes;
  readonly #rollouts: Rollouts;
  readonly #deletions: Deletions;

  private constructor(parts: Omit<Parts, 'tell'>) {
    this.#parts = { ...parts, tell: (text) => void this.told.push(text) };
    this.#changes = new Changes(this.#parts);
    this.#rollouts = new Rollouts(this.#parts);
    this.#deletions = new Deletions(this.#parts);
  }

  static async walk(api: Parts['api'], organizationId: string, steps: readonly Step[]): Promise<void> {
    const world = await seedWorld(api.database, organizationId);
    const walk = new EnvironmentWalk({ api, world, model: new Model(), seen: new Seen(api, world) });
    try {
      for (const step of steps) await walk.#step(step);
    } catch (error) {
      const told = walk.told.map((step, index) => `  ${index + 1}. ${step}`).join('\n');
      if (error instanceof Error) error.message = `After these steps:\n${told}\n${error.message}`;
      throw error;
    }
  }

  async #step({ what, at: [a, b, c, d] }: Step): Promise<void> {
    const before = this.told.length;
    const { model, seen } = this.#parts;
    // Most happens where services are held for approvals.
    const number = a % 5 < 3 ? 0 : 1;
    const service = services[b % services.length] ?? 'db';
    const { deleted, purged } = model.environments[number];
    if (what === 'delete' || what === 'restore' || what === 'purge') await this.#deletions[what](b, c);
    else if (what === 'claim') await this.#rollouts.claim(a);
    else if (what === 'finish') await this.#rollouts.finish(a, b);
    else if (what === 'cancel') await this.#rollouts.cancel(a);
    else if (deleted !== 'no' || purged) return;
    else if (what === 'stage') await this.#changes.stage(number, this.#slot(number, a, b), c, d);
    else if (what === 'unstage') await this.#changes.unstage(number, b);
    else if (what === 'discard') await this.#changes.discard(number);
    else if (what === 'apply') await this.#changes.apply(number);
    else if (what === 'decide') await this.#changes.decide(number, b, c);
    else if (what === 'begin') await this.#begin(number, c);
    else if (what === 'through') await this.#through(number, service, c, d);
    else if (!model.there().has(service)) return;
    else if (what === 'rollBack') await this.#rollouts.rollBack(number, service, c);
    else if (what === 'redeploy') await this.#rollouts.redeploy(number, service);
    else if (what === 'suspend') await this.#rollouts.suspend(number, service, c);
    else await this.#rollouts.resume(number, service);
    if (this.told.length > before) await check(model, seen);
  }

  /** Any place; half of the time one of which somebody asked before. */
  #slot(number: number, a: number, b: number): string {
    const { staged, held } = this.#parts.model.environments[number === 0 ? 0 : 1];
    const asked = [...staged.keys(), ...(held?.items.keys() ?? [])];
    const among = a % 2 === 0 || asked.length === 0 ? slots : asked;
    return among[b % among.length] ?? '';
  }

  /** All services with a release of their own, and variables that one may miss later. */
  async #begin(number: number, value: number): Promise<void> {
    for (const service of services) await this.#changes.stage(number, `${service} source`, value, 0);
    for (const slot of slots.filter(isVariable)) await this.#changes.stage(number, slot, 0, 1);
    await this.#rollOut(number);
  }

  /** As most changes go: staged, applied, approved, live. */
  async #through(number: number, service: Service, c: number, d: number): Promise<void> {
    const some = [`${service} source`, `${service} replicas`, slots[c % slots.length] ?? ''];
    const slot = some[d % some.length] ?? '';
    await this.#changes.stage(number, slot, c, d);
    await this.#rollOut(number);
  }

  async #rollOut(number: number): Promise<void> {
    await this.#changes.apply(number);
    await this.#changes.decide(number, 0, 0);
    for (const _ of services) await this.#rollouts.claim(0);
    for (const _ of services) await this.#rollouts.finish(0, 0);
  }
}
