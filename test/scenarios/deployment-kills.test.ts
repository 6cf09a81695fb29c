import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentMachine } from '../deployments/agent-machine.ts';
import { cancelledMoments } from '../deployments/cancelled-moments.ts';
import { type Asked, Deliveries, type Place } from '../deployments/deliveries.ts';
import { eventFaults, stageFaults } from '../deployments/faults.ts';
import { freezeWorker } from '../deployments/freeze-worker.ts';
import { openGates } from '../deployments/gates.ts';
import { heldImages } from '../deployments/held-image.ts';
import { makeWritesHoldable } from '../deployments/held-write.ts';
import { chances, everything, type Kill, killMatrix, shuffled, table } from '../deployments/matrix.ts';
import { type Frozen, frozens, type Parked, type Where, type World, wheres } from '../deployments/moment.ts';
import { allMoments, type MomentName, momentOf } from '../deployments/moments.ts';
import { isWhole, nothingIsLeft } from '../deployments/whole.ts';
import { freePort } from '../ground/free-port.ts';
import { Installation } from '../installation/installation.ts';
import type { PartName } from '../installation/running-parts.ts';
import { cellsOf } from '../run/matrix.ts';

const kills = cellsOf(killMatrix(2), ({ what, seed }) => what === everything && seed === 0);
/** A cancel of each stage takes a service of its own; here those that the other moments do not walk through. */
const momentNames = cellsOf(
  allMoments,
  (name) => !(name in cancelledMoments) || name === 'held, then cancelled' || name === 'preparing, asked to cancel',
);

let world: World;
/** By where its moments are: the services that can stand there. */
let places: Record<Where, Place[]>;
const asked: Asked[] = [];
const seen: { kill: Kill; ends: Map<MomentName, string> }[] = [];

beforeAll(async () => {
  const ingressPort = await freePort();
  const [images, gates] = [await heldImages(), openGates()];
  const installation = await Installation.start('deployment-kills', {
    ...{ LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(ingressPort) },
    OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
  });
  await makeWritesHoldable(await installation.database());
  const deliveries = await Deliveries.on(installation, images.reference, gates);
  world = { installation, deliveries, images, gates, ingressPort, machine: new AgentMachine(installation.home) };
  await installation.until('the local cluster is in contact', async () => {
    const [local] = await deliveries.clusters();
    return local?.status === 'ready';
  });
  places = await firstReleases();
});

afterAll(async () => {
  if (seen.length > 0) process.stdout.write(`\n${matrixOf()}\n\n`);
  await world?.images.close();
  await world?.installation.remove();
  world?.gates.close();
});

/** A service for each moment, each with a first release, so that it has something to return to. */
async function firstReleases(): Promise<typeof places> {
  const { deliveries } = world;
  const made = Object.fromEntries(wheres.map((where): [Where, Place[]] => [where, []])) as typeof places;
  const environments = new Map<Where, [projectId: string, environmentId: string]>();
  for (const where of wheres.filter((one) => !one.endsWith('production'))) {
    const { projectId, staging, production } = await deliveries.project(where);
    await deliveries.slots({ projectId }, 100);
    environments.set(where, [projectId, staging]);
    const other = wheres.find((one) => one === `${where} production`);
    if (other !== undefined) environments.set(other, [projectId, production]);
  }
  for (const name of momentNames) {
    const { where } = momentOf(name);
    const [projectId = '', environmentId = ''] = environments.get(where) ?? [];
    made[where].push(await deliveries.place(projectId, environmentId, `Service ${momentNames.indexOf(name) + 1}`));
  }
  const first: Asked[] = [];
  for (const [where, [, environmentId]] of environments) {
    if (made[where].length > 0) first.push(...(await deliveries.apply(environmentId)));
  }
  for (const approvalId of new Set(first.map((one) => one.approvalId))) {
    if (approvalId !== undefined) await deliveries.decide(approvalId, 'approved');
  }
  await Promise.all(first.map(({ id }) => deliveries.reached(id, 'live')));
  asked.push(...first);
  await deliveries.slots({ projectId: environments.get('narrow')?.[0] ?? '' }, 1);
  return made;
}

/** One deployment at each moment, all at once; nothing but a kill or a release moves any of them. */
async function park({ seed }: Kill): Promise<Map<MomentName, Parked & { place: Place }>> {
  const { installation } = world;
  const chance = chances(seed);
  const free = Object.fromEntries(
    Object.entries(places).map(([where, some]) => [where, seed === 0 ? [...some] : shuffled(some, chance)]),
  ) as typeof places;
  const parked = new Map<MomentName, Parked & { place: Place }>();
  const take = async (name: MomentName) => {
    const { where, park } = momentOf(name);
    const place = free[where].shift();
    if (place === undefined) throw new Error(`No service is left for "${name}".`);
    const one = await park(place, world);
    parked.set(name, Object.assign(one, { place }));
  };
  const stop: Record<Frozen, () => unknown> = {
    nothing: () => {},
    'the others': () => stand(parked),
    agent: () => installation.parts.freeze('agent'),
    async worker() {
      await freezeWorker(installation);
      await Promise.all([...parked].map(([name, one]) => momentOf(name).unheard?.(one.place, world, one)));
    },
    temporal: () => installation.parts.freeze('temporal'),
  };
  for (const frozen of frozens) {
    await stop[frozen]();
    const those = momentNames.filter((name) => momentOf(name).frozen === frozen);
    if (frozen === 'nothing') await Promise.all(those.map(take));
    // In their order: a claim that stands still has locked the cluster.
    else for (const name of those) await take(name);
  }
  await stand(parked);
  for (const { deployments } of parked.values()) asked.push(...deployments.map((one) => one.asked));
  return parked;
}

/** Each stands at its moment, and all of them at once. */
async function stand(parked: ReadonlyMap<MomentName, Parked>): Promise<void> {
  const { installation, deliveries } = world;
  const all = [...parked].map(([name, { stands, lasts }]) =>
    installation.until(`one stands "${name}"`, async () => {
      const shown = await deliveries.deployment(stands.id);
      if (shown?.finishedAt !== undefined) throw new Error(`"${name}" is ${shown.state}: ${shown.message}`);
      const is = shown?.state === stands.state && (stands.blocker === undefined || shown.blocker === stands.blocker);
      return is && (await lasts?.()) !== false;
    }),
  );
  await Promise.all(all);
}

/** Kills, lets go what lives, waits until everything is whole again, and lets go what is still parked. */
async function killAndHeal(kill: Kill, parked: ReadonlyMap<MomentName, Parked>): Promise<void> {
  const { installation } = world;
  const { parts, supervisor, seed } = kill;
  const chance = chances(seed + 1_000);
  // With a seed, some are let go at the time of the kill, so that it meets their steps, too.
  const early = momentNames.filter(() => seed > 0 && chance() < 0.3);
  const timeOf = (name: MomentName) => (early.includes(name) ? 'before the kill' : momentOf(name).released);
  const release = async (time: ReturnType<typeof timeOf>) => {
    for (const name of momentNames) if (timeOf(name) === time) await parked.get(name)?.release();
  };
  await release('before the kill');
  const before = new Map<PartName, number>(parts.map((part) => [part, installation.parts.pid(part)]));
  installation.parts.kill(...shuffled(parts, chance), ...(supervisor ? (['supervisor'] as const) : []));
  for (const part of ['temporal', 'worker', 'agent'] as const) if (!parts.includes(part)) installation.parts.thaw(part);
  await release('after the kill');
  if (supervisor) {
    await installation.ended();
    await installation.start();
  } else for (const part of parts) await installation.replaced(part, before.get(part) ?? 0);
  await installation.ready();
  await release(undefined);
}

describe.each(kills)('kill -9 of $what, seed $seed', (kill) => {
  let parked: Awaited<ReturnType<typeof park>>;
  const ends = new Map<MomentName, string>();

  beforeAll(async () => {
    parked = await park(kill);
    seen.push({ kill, ends });
    await killAndHeal(kill, parked);
  });

  test.each(momentNames)('%s: one final state, stages without a gap, each event once', async (name) => {
    const { deliveries } = world;
    const { deployments } = parked.get(name) as Parked;
    const final = await Promise.all(deployments.map((one) => deliveries.final(one.asked.id)));
    ends.set(name, final.map(({ state }) => state).join(', '));
    expect(final.map(({ state, message }) => [state, state === 'live' ? message : ''])).toEqual(
      deployments.map((one) => [one.ends, '']),
    );
    for (const shown of final) {
      const faults = [...stageFaults(shown), ...eventFaults(shown, await deliveries.events(shown.id))];
      expect(faults, `${shown.id} ${JSON.stringify(shown.stages)}`).toEqual([]);
    }
  });

  test('one release serves each service, and the machine runs that one only', async () => {
    await isWhole(world, new Map([...parked.values()].map(({ place, live }) => [place, live])));
  });

  test('no slot is held: each service is deployed once more', async () => {
    const { deliveries } = world;
    const again = await Promise.all(
      Object.values(places)
        .flat()
        .map((place) => deliveries.redeploy(place)),
    );
    for (const { approvalId } of again) if (approvalId !== undefined) await deliveries.decide(approvalId, 'approved');
    await Promise.all(again.map(({ id }) => deliveries.reached(id, 'live', 180)));
    asked.push(...again);
    await isWhole(world, new Map([...parked.values()].map(({ place, live }) => [place, live])));
  });
});

test('every actor ended once, and nothing is left to be told', () => nothingIsLeft(world, asked));

/** Each moment against each kill: how it ended. */
function matrixOf(): string {
  const heads = ['kill -9 of', ...seen.map(({ kill }) => `${kill.what} (${kill.seed})`)];
  const rows = momentNames.map((name) => [name, ...seen.map(({ ends }) => ends.get(name) ?? 'not reached')]);
  return table(heads, rows);
}
