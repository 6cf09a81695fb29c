import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DeploymentState } from '../../../domain/deployments/states.ts';
import { until } from '../../ground/until.ts';
import type { Asked, Place } from '../deliveries.ts';
import { type Gate, gatedMigration, servesWhileOpen } from '../gates.ts';
import type { Parked, World } from './moment.ts';

/** A new release whose instance does not listen before its gate opens. */
export async function starting(
  place: Place,
  { deliveries, gates }: World,
  after?: string,
): Promise<Parked & { gate: Gate; asked: Asked }> {
  const gate = gates.gate();
  const asked = await deliveries.release(place, { gate: gate.path, ...(after === undefined ? {} : { after }) });
  return {
    ...{ gate, asked },
    deployments: [{ asked, ends: 'live' }],
    stands: { id: asked.id, state: 'starting' },
    live: asked.releaseId,
    release: async () => gate.open(),
  };
}

/** One that goes on by itself when something else lets it. */
export function waiting(asked: Asked, state: DeploymentState, blocker?: string): Parked {
  const stands = { id: asked.id, state, ...(blocker === undefined ? {} : { blocker }) };
  return { deployments: [{ asked, ends: 'live' }], stands, live: asked.releaseId, release: async () => {} };
}

export async function liveRelease({ deliveries }: World, place: Place): Promise<string> {
  return (await deliveries.service(place)).activeReleaseId ?? '';
}

/** One whose image does not arrive. */
export async function preparing(place: Place, world: World): Promise<Parked> {
  const { deliveries, images } = world;
  const image = await images.hold(crypto.randomUUID());
  const asked = await deliveries.release(place, { image: image.reference });
  return { ...waiting(asked, 'preparing'), release: async () => image.arrive() };
}

/** One whose release command does not end. */
export async function releasing(place: Place, { deliveries, gates }: World): Promise<Parked> {
  const gate = gates.gate();
  const asked = await deliveries.release(place, { releaseCommand: gatedMigration(gate.path) });
  return { ...waiting(asked, 'releasing'), release: async () => gate.open() };
}

/** One whose instance was ready once, and is not while it is checked. */
export async function checking(place: Place, world: World): Promise<Parked> {
  const { deliveries, gates, machine } = world;
  const gate = gates.gate();
  gate.open();
  const changed = { gate: gate.path, after: servesWhileOpen, stabilizationSeconds: 4 };
  const asked = await deliveries.release(place, changed);
  await until('it is checked', async () => machine.phaseOf(asked.id) === 'checking');
  // Ready once, so that it is checked; from now on it is not, so that this lasts.
  gate.shut();
  return { ...waiting(asked, 'checking'), release: async () => gate.open() };
}

/** One whose release before has not answered a request to its end. */
export async function draining(place: Place, world: World): Promise<Parked> {
  const { deliveries, gates } = world;
  const done = gates.gate();
  const answer = await openRequest(world, place, done.path);
  const asked = await deliveries.release(place);
  const release = async () => {
    done.open();
    const whole = await answer.whole;
    if (!whole.endsWith('end\n')) throw new Error(`A request to ${place.name} was cut: ${whole.slice(-100)}`);
  };
  return { ...waiting(asked, 'draining'), release };
}

function hostOf({ addresses }: { addresses: { url: string }[] }): string {
  return new URL(addresses[0]?.url ?? '').hostname;
}

/** A request that the live release answers until a file is there, once its answer has begun. */
async function openRequest(world: World, place: Place, until: string): Promise<{ whole: Promise<string> }> {
  const host = hostOf(await world.deliveries.service(place));
  const path = `/stream?${new URLSearchParams({ ms: '3600000', until })}`;
  const asking = get({ port: world.ingressPort, path, headers: { host }, agent: false });
  const [answer] = await once(asking, 'response');
  const whole = text(answer);
  // A failure is told where the answer is waited for.
  whole.catch(() => undefined);
  return { whole };
}
