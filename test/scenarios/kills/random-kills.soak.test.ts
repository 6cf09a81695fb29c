import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploymentStates, type FinalDeploymentState } from '../../../domain/deployments/states.ts';
import { AgentMachine } from '../../deployments/agent-machine.ts';
import { type Asked, Deliveries, type Place } from '../../deployments/deliveries.ts';
import { eventFaults, stageFaults } from '../../deployments/faults.ts';
import { openGates } from '../../deployments/gates.ts';
import { heldImages } from '../../deployments/held-image.ts';
import { chances, everything, type Kill, killMatrix, shuffled } from '../../deployments/matrix.ts';
import type { World } from '../../deployments/moments/moment.ts';
import { isWhole, nothingIsLeft } from '../../deployments/whole.ts';
import { freePort } from '../../ground/free-port.ts';
import { Installation } from '../../installation/installation.ts';
import type { PartName } from '../../installation/running-parts.ts';

/** Twenty that nobody has chosen; `KILL_SEED=…` runs the one again that a failure names. */
const given = process.env.KILL_SEED;
const seeds = given === undefined ? Array.from({ length: 20 }, () => randomInt(1, 1e9)) : [Number(given)];

let world: World;
let services: Place[];
let held: Place;
const asked: Asked[] = [];
const live = new Map<Place, string>();

beforeAll(async () => {
  const ingressPort = await freePort();
  const [images, gates] = [await heldImages(), openGates()];
  const installation = await Installation.start('random-kills', {
    ...{ LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(ingressPort) },
    OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
  });
  const deliveries = await Deliveries.on(installation, images.reference, gates);
  world = { installation, deliveries, images, gates, ingressPort, machine: new AgentMachine(installation.home) };
  await installation.until('the local cluster is in contact', async () => {
    const [local] = await deliveries.clusters();
    return local?.status === 'ready';
  });
  const { projectId, staging, production } = await deliveries.project('shop');
  await deliveries.slots({ projectId }, 2);
  services = [];
  for (const name of ['One', 'Two', 'Three']) services.push(await deliveries.place(projectId, staging, name));
  held = await deliveries.place(projectId, production, 'Held');
  const first = [...(await deliveries.apply(staging)), ...(await deliveries.apply(production))];
  await deliveries.decide(first.at(-1)?.approvalId, 'approved');
  for (const one of first) {
    await deliveries.reached(one.id, 'live', 180);
    const place = [...services, held].find(({ serviceId }) => serviceId === one.serviceId);
    if (place !== undefined) live.set(place, one.releaseId);
  }
  asked.push(...first);
});

afterAll(async () => {
  await world?.images.close();
  await world?.installation.remove();
  world?.gates.close();
});

/** What was asked for, and how that may end. */
interface Act {
  place: Place;
  asked: Asked;
  ends: FinalDeploymentState[];
  /** A word of a person to it, before or after the kill. */
  say?: () => Promise<void>;
}

async function act(place: Place, chance: () => number): Promise<Act> {
  const { deliveries } = world;
  const pick = chance();
  if (place !== held && pick < 0.15) return { place, asked: await deliveries.redeploy(place), ends: ['live'] };
  const fails = place !== held && pick < 0.3;
  const one = await deliveries.release(place, { stabilizationSeconds: 1, ...(fails ? { after: 'exit 7' } : {}) });
  const made: Act = { place, asked: one, ends: [fails ? 'failed' : 'live'] };
  if (place === held && pick < 0.7) {
    const decision = pick < 0.4 ? 'approved' : 'rejected';
    made.say = () => deliveries.decide(one.approvalId, decision);
    made.ends = [decision === 'approved' ? 'live' : 'rejected'];
  } else if (place === held || pick > 0.6) {
    made.say = async () => {
      const late = await deliveries.cancel(one.id).catch((error: Error) => error);
      if (late !== undefined && !late.message.includes(': 409 ')) throw late;
      // One that rolls may have switched when its cluster hears of it.
      if (late === undefined) made.ends = place === held ? ['cancelled'] : ['cancelled', 'live'];
    };
    if (place === held) made.ends = ['cancelled'];
  }
  return made;
}

function killOf(chance: () => number): Kill {
  const [all] = killMatrix(0).filter(({ what }) => what === everything);
  if (all === undefined) throw new Error('There is no kill of everything.');
  if (chance() < 0.15) return all;
  const parts = shuffled(all.parts, chance).slice(0, 1 + Math.floor(chance() * 3));
  return { ...all, what: parts.join(', '), parts, supervisor: false };
}

test.each(seeds)('kill -9 of some parts at some moment, with the seed %i', async (seed) => {
  const { installation, deliveries } = world;
  const chance = chances(seed);
  const acts: Act[] = [];
  for (const place of shuffled([...services, held], chance)) acts.push(await act(place, chance));
  asked.push(...acts.map((one) => one.asked));
  const watched = shuffled(acts, chance)[0] as Act;
  const stage = shuffled(['pending', 'preparing', 'starting', 'checking', 'draining', 'live'] as const, chance)[0];
  const [early, late] = [acts.filter(() => chance() < 0.5), new Set(acts)];
  const kill = killOf(chance);
  const millis = Math.floor(chance() * 300);
  for (const one of early) {
    await one.say?.();
    late.delete(one);
  }
  const waitsForPerson = watched.place === held && !early.includes(watched);
  await installation.until(`one is ${stage} or further`, async () => {
    const shown = await deliveries.deployment(watched.asked.id);
    if (shown === undefined) return false;
    return waitsForPerson || deploymentStates.indexOf(shown.state) >= deploymentStates.indexOf(stage ?? 'pending');
  });
  // The moment is the seed's: nothing is waited for.
  await pause(millis);
  const before = new Map<PartName, number>(kill.parts.map((part) => [part, installation.parts.pid(part)]));
  installation.parts.kill(...kill.parts, ...(kill.supervisor ? (['supervisor'] as const) : []));
  if (kill.supervisor) {
    await installation.ended();
    await installation.start();
  } else for (const part of kill.parts) await installation.replaced(part, before.get(part) ?? 0);
  await installation.ready();
  for (const one of late) await one.say?.();
  const said = `kill -9 of ${kill.what}, ${millis} ms after one was ${stage}`;
  for (const { place, asked: one, ends } of acts) {
    const shown = await deliveries.final(one.id);
    expect(ends, `${said}: ${place.name} ${shown.message}`).toContain(shown.state);
    const faults = [...stageFaults(shown), ...eventFaults(shown, await deliveries.events(shown.id))];
    expect(faults, `${said}: ${place.name} ${JSON.stringify(shown.stages)}`).toEqual([]);
    if (shown.state === 'live') live.set(place, one.releaseId);
  }
  await isWhole(world, live);
});

test('every actor ended once, and nothing is left to be told', () => nothingIsLeft(world, asked));
