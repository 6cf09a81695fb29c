import { beforeAll, describe, expect, test } from 'vitest';
import type { Installation } from '../installation/installation.ts';
import type { PartName } from '../installation/running-parts.ts';
import { AgentMachine } from './agent-machine.ts';
import { type Asked, Deliveries, type Place } from './deliveries.ts';
import { eventFaults, stageFaults } from './faults.ts';
import { freezeWorker } from './freeze-worker.ts';
import { openGates } from './gates.ts';
import { heldImages } from './held-image.ts';
import { makeWritesHoldable } from './held-write.ts';
import { chances, type Kill, shuffled, table } from './matrix.ts';
import { type Frozen, frozens, type Parked, type Where, type World, wheres } from './moments/moment.ts';
import { type MomentName, momentOf } from './moments/moments.ts';
import { isWhole, nothingIsLeft } from './whole.ts';

/** Deployments that stand at moments, one each and all at once, while parts of their installation are killed. */
export class KilledDeployments {
  readonly #names: readonly MomentName[];
  readonly #world: World;
  /** By where its moments are: the services that can stand there. */
  readonly #places: Record<Where, Place[]>;
  readonly #asked: Asked[] = [];
  readonly #seen: { kill: Kill; ends: Map<MomentName, string> }[] = [];

  private constructor(names: readonly MomentName[], world: World) {
    this.#names = names;
    this.#world = world;
    this.#places = Object.fromEntries(wheres.map((where): [Where, Place[]] => [where, []])) as Record<Where, Place[]>;
  }

  /** On an installation with a local cluster, which may reach registries of this machine. */
  static async on(installation: Installation, names: readonly MomentName[]): Promise<KilledDeployments> {
    const [images, gates] = [await heldImages(), openGates()];
    await makeWritesHoldable(await installation.database());
    const deliveries = await Deliveries.on(installation, images.reference, gates);
    const ingressPort = Number(installation.env.INGRESS_PORT);
    const machine = new AgentMachine(installation.home);
    await installation.until('the local cluster is in contact', async () => {
      const [local] = await deliveries.clusters();
      return local?.status === 'ready';
    });
    const killed = new KilledDeployments(names, { installation, deliveries, images, gates, ingressPort, machine });
    await killed.#firstReleases();
    return killed;
  }

  async close(): Promise<void> {
    await this.#world.deliveries.leave();
    await this.#world.images.close();
    this.#world.gates.close();
  }

  /** A service for each moment, each with a first release, so that it has something to return to. */
  async #firstReleases(): Promise<void> {
    const { deliveries } = this.#world;
    const environments = new Map<Where, [projectId: string, environmentId: string]>();
    const wanted = new Set(this.#names.map((name) => momentOf(name).where.replace(' production', '') as Where));
    for (const where of wanted) {
      const { projectId, staging, production } = await deliveries.project(`Killed ${where}`);
      await deliveries.slots({ projectId }, 100);
      environments.set(where, [projectId, staging]);
      const other = wheres.find((one) => one === `${where} production`);
      if (other !== undefined) environments.set(other, [projectId, production]);
    }
    for (const [index, name] of this.#names.entries()) {
      const { where } = momentOf(name);
      const [projectId = '', environmentId = ''] = environments.get(where) ?? [];
      this.#places[where].push(await deliveries.place(projectId, environmentId, `Service ${index + 1}`));
    }
    const first: Asked[] = [];
    for (const [where, [, environmentId]] of environments) {
      if (this.#places[where].length > 0) first.push(...(await deliveries.apply(environmentId)));
    }
    for (const approvalId of new Set(first.map((one) => one.approvalId))) {
      if (approvalId !== undefined) await deliveries.decide(approvalId, 'approved');
    }
    await Promise.all(first.map(({ id }) => deliveries.reached(id, 'live')));
    this.#asked.push(...first);
    const [narrow] = environments.get('narrow') ?? [];
    if (narrow !== undefined) await deliveries.slots({ projectId: narrow }, 1);
  }

  /** One deployment at each moment, all at once; nothing but a kill or a release moves any of them. */
  async park({ seed }: Kill): Promise<Map<MomentName, Parked & { place: Place }>> {
    const { installation } = this.#world;
    const chance = chances(seed);
    const free = Object.fromEntries(
      Object.entries(this.#places).map(([where, some]) => [where, seed === 0 ? [...some] : shuffled(some, chance)]),
    ) as Record<Where, Place[]>;
    const parked = new Map<MomentName, Parked & { place: Place }>();
    const take = async (name: MomentName) => {
      const { where, park } = momentOf(name);
      const place = free[where].shift();
      if (place === undefined) throw new Error(`No service is left for "${name}".`);
      const one = await park(place, this.#world);
      parked.set(name, Object.assign(one, { place }));
    };
    const stop: Record<Frozen, () => unknown> = {
      nothing: () => {},
      'the others': () => this.#stand(parked),
      agent: () => installation.parts.freeze('agent'),
      worker: async () => {
        await freezeWorker(installation);
        const unheard = [...parked].map(([name, one]) => momentOf(name).unheard?.(one.place, this.#world, one));
        await Promise.all(unheard);
      },
      temporal: () => installation.parts.freeze('temporal'),
    };
    for (const frozen of frozens) {
      await stop[frozen]();
      const those = this.#names.filter((name) => momentOf(name).frozen === frozen);
      if (frozen === 'nothing') await Promise.all(those.map(take));
      // In their order: a claim that stands still has locked the cluster.
      else for (const name of those) await take(name);
    }
    await this.#stand(parked);
    for (const { deployments } of parked.values()) this.#asked.push(...deployments.map((one) => one.asked));
    return parked;
  }

  /** Each stands at its moment, and all of them at once. */
  async #stand(parked: ReadonlyMap<MomentName, Parked>): Promise<void> {
    const { installation, deliveries } = this.#world;
    const all = [...parked].map(([name, { stands, lasts }]) =>
      installation.until(`one stands "${name}"`, async (see) => {
        const shown = see(await deliveries.deployment(stands.id));
        if (shown?.finishedAt !== undefined) throw new Error(`"${name}" is ${shown.state}: ${shown.message}`);
        const is = shown?.state === stands.state && (stands.blocker === undefined || shown.blocker === stands.blocker);
        return is && (await lasts?.()) !== false;
      }),
    );
    await Promise.all(all);
  }

  /** Kills, lets go what lives, waits until everything is whole again, and lets go what is still parked. */
  async killAndHeal(kill: Kill, parked: ReadonlyMap<MomentName, Parked>): Promise<void> {
    const { installation } = this.#world;
    const { parts, supervisor, seed } = kill;
    const chance = chances(seed + 1_000);
    // With a seed, some are let go at the time of the kill, so that it meets their steps, too.
    const early = this.#names.filter(() => seed > 0 && chance() < 0.3);
    const timeOf = (name: MomentName) => (early.includes(name) ? 'before the kill' : momentOf(name).released);
    const release = async (time: ReturnType<typeof timeOf>) => {
      for (const name of this.#names) if (timeOf(name) === time) await parked.get(name)?.release();
    };
    await release('before the kill');
    const before = new Map<PartName, number>(parts.map((part) => [part, installation.parts.pid(part)]));
    installation.parts.kill(...shuffled(parts, chance), ...(supervisor ? (['supervisor'] as const) : []));
    for (const part of ['temporal', 'worker', 'agent'] as const) {
      if (!parts.includes(part)) installation.parts.thaw(part);
    }
    await release('after the kill');
    if (supervisor) {
      await installation.ended();
      await installation.start();
    } else for (const part of parts) await installation.replaced(part, before.get(part) ?? 0);
    await installation.ready();
    await release(undefined);
  }

  /** Each deployment that was parked has one final state, the one that it had to reach. */
  async ended(kill: Kill, name: MomentName, parked: Parked): Promise<void> {
    const { deliveries } = this.#world;
    const { deployments } = parked;
    const final = await Promise.all(deployments.map((one) => deliveries.final(one.asked.id)));
    this.#endsOf(kill).set(name, final.map(({ state }) => state).join(', '));
    expect(final.map(({ state, message }) => [state, state === 'live' ? message : ''])).toEqual(
      deployments.map((one) => [one.ends, '']),
    );
    for (const shown of final) {
      const faults = [...stageFaults(shown), ...eventFaults(shown, await deliveries.events(shown.id))];
      expect(faults, `${shown.id} ${JSON.stringify(shown.stages)}`).toEqual([]);
    }
  }

  #endsOf(kill: Kill): Map<MomentName, string> {
    const known = this.#seen.find((one) => one.kill === kill);
    if (known !== undefined) return known.ends;
    const ends = new Map<MomentName, string>();
    this.#seen.push({ kill, ends });
    return ends;
  }

  async isWhole(parked: ReadonlyMap<MomentName, Parked & { place: Place }>): Promise<void> {
    await isWhole(this.#world, new Map([...parked.values()].map(({ place, live }) => [place, live])));
  }

  /** No slot is held: each service is deployed once more. */
  async deployAgain(): Promise<void> {
    const { deliveries } = this.#world;
    const all = Object.values(this.#places).flat();
    const again = await Promise.all(all.map((place) => deliveries.redeploy(place)));
    for (const { approvalId } of again) if (approvalId !== undefined) await deliveries.decide(approvalId, 'approved');
    await Promise.all(again.map(({ id }) => deliveries.reached(id, 'live', 180)));
    this.#asked.push(...again);
  }

  async nothingIsLeft(): Promise<void> {
    await nothingIsLeft(this.#world, this.#asked);
  }

  /** Each moment against each kill: how it ended. */
  matrix(): string {
    const heads = ['kill -9 of', ...this.#seen.map(({ kill }) => `${kill.what} (${kill.seed})`)];
    const rows = this.#names.map((name) => [name, ...this.#seen.map(({ ends }) => ends.get(name) ?? 'not reached')]);
    return table(heads, rows);
  }
}

/** The tests of some kills, in this order; what is asked of `killed` begins in the first hook. */
export function outlivesKills(
  killed: () => KilledDeployments,
  kills: readonly Kill[],
  names: readonly MomentName[],
): void {
  describe.each(kills)('kill -9 of $what, seed $seed', (kill) => {
    let parked: Awaited<ReturnType<KilledDeployments['park']>>;
    beforeAll(async () => {
      parked = await killed().park(kill);
      await killed().killAndHeal(kill, parked);
    });

    test.each(names)('%s: one final state, stages without a gap, each event once', async (name) => {
      await killed().ended(kill, name, parked.get(name) as Parked);
    });
    test('one release serves each service, and the machine runs that one only', () => killed().isWhole(parked));
    test('no slot is held: each service is deployed once more', async () => {
      await killed().deployAgain();
      await killed().isWhole(parked);
    });
  });

  test('every actor ended once, and nothing is left to be told', () => killed().nothingIsLeft());
}
