import { rolloutKey } from '../../../db/deployments/rollout.ts';
import { actorId } from '../../../domain/actors/actors.ts';
import { required } from '../../../domain/settings/settings.ts';
import type { Asked } from '../deliveries.ts';
import { type HeldWrite, holdWrite } from '../held-write.ts';
import { cancelledMoments } from './cancelled-moments.ts';
import type { Moment, Parked, World } from './moment.ts';
import { checking, draining, liveRelease, preparing, releasing, starting, waiting } from './parked.ts';

/** One whose actor stands before a write that is held. */
async function halfWritten(write: HeldWrite, asked: Asked, { deliveries }: World): Promise<Parked> {
  await write.met();
  const shown = await deliveries.deployment(asked.id);
  return { ...waiting(asked, shown?.state ?? 'pending'), lasts: write.stands, release: () => write.release() };
}

function databaseOf({ installation }: World): string {
  return required(installation.settings, 'DATABASE_URL');
}

/**
 * Where a deployment may stand when something is killed. Those for which nothing else stands still are parked at once, the
 * others in this order. The switch is one pass of the agent and cannot be parked from outside: `killed-rollout.all.test.ts`
 * kills the agent at each write of it, and `any-rollout.test.ts` the planner between any two steps. Release commands do not
 * run yet.
 */
export const moments = {
  'held, then approved': {
    where: 'shop production',
    frozen: 'nothing',
    async park(place, { deliveries }) {
      const asked = await deliveries.release(place);
      const release = () => deliveries.decide(asked.approvalId, 'approved');
      return { ...waiting(asked, 'pending', 'approval'), release };
    },
  },
  'held, then rejected': {
    where: 'narrow production',
    frozen: 'nothing',
    async park(place, world) {
      const { deliveries } = world;
      const live = await liveRelease(world, place);
      const asked = await deliveries.release(place);
      const release = () => deliveries.decide(asked.approvalId, 'rejected');
      return {
        ...waiting(asked, 'pending', 'approval'),
        deployments: [{ asked, ends: 'rejected' }],
        live,
        release,
      };
    },
  },
  'starting, with the only slot': {
    where: 'narrow',
    frozen: 'nothing',
    park: (place, world) => starting(place, world),
  },
  'behind the only slot': {
    where: 'narrow',
    frozen: 'nothing',
    park: async (place, { deliveries }) => waiting(await deliveries.release(place), 'pending', 'slot'),
  },
  preparing: { where: 'shop', frozen: 'nothing', park: preparing },
  releasing: { where: 'shop', frozen: 'nothing', park: releasing },
  starting: { where: 'shop', frozen: 'nothing', park: (place, world) => starting(place, world) },
  checking: { where: 'shop', frozen: 'nothing', park: checking },
  draining: { where: 'shop', frozen: 'nothing', park: draining },
  failing: {
    where: 'shop',
    frozen: 'nothing',
    async park(place, world) {
      const live = await liveRelease(world, place);
      const parked = await starting(place, world, 'exit 7');
      return { ...parked, deployments: parked.deployments.map((one) => ({ ...one, ends: 'failed' as const })), live };
    },
    released: 'before the kill',
  },
  'asked to cancel': {
    where: 'shop',
    frozen: 'nothing',
    async park(place, world) {
      const live = await liveRelease(world, place);
      const parked = await starting(place, world);
      const deployments = parked.deployments.map((one) => ({ ...one, ends: 'cancelled' as const }));
      return { ...parked, deployments, live, release: async () => {} };
    },
    unheard: (_, { deliveries }, { stands }) => deliveries.cancel(stands.id),
  },
  'rolled back': {
    where: 'shop',
    frozen: 'nothing',
    async park(place, world) {
      const { deliveries } = world;
      const live = await liveRelease(world, place);
      const between = await deliveries.release(place);
      await deliveries.reached(between.id, 'live');
      const parked = await starting(place, world);
      const deployments = parked.deployments.map((one) => ({ ...one, ends: 'cancelled' as const }));
      return { ...parked, deployments, live, release: async () => {} };
    },
    async unheard(_, { deliveries }, parked) {
      parked.deployments.push({ asked: await deliveries.rollBack(parked.live), ends: 'live' });
    },
  },
  ...cancelledMoments,
  'behind an earlier one': {
    where: 'shop',
    frozen: 'nothing',
    async park(place, world) {
      const { deliveries } = world;
      const live = await liveRelease(world, place);
      const first = await starting(place, world);
      await deliveries.reached(first.stands.id, 'starting');
      const again = await deliveries.redeploy(place);
      const { deployments, stands } = waiting(again, 'pending', 'earlier-deployment');
      return { ...first, deployments: [...first.deployments, ...deployments], stands, live };
    },
  },
  'in the middle of its last transaction': {
    where: 'ending',
    frozen: 'the others',
    released: 'after the kill',
    async park(place, world) {
      const { gate, asked } = await starting(place, world);
      await world.deliveries.reached(asked.id, 'starting');
      const write = await holdWrite(databaseOf(world), 'environment_service', place.serviceId);
      gate.open();
      return await halfWritten(write, asked, world);
    },
  },
  'claimed, not delivered': {
    where: 'shop',
    frozen: 'agent',
    async park(place, { deliveries, machine }) {
      const asked = await deliveries.release(place);
      await deliveries.reached(asked.id, 'preparing');
      return { ...waiting(asked, 'preparing'), lasts: async () => machine.phaseOf(asked.id) === undefined };
    },
  },
  'in the middle of its claim': {
    where: 'claiming',
    frozen: 'agent',
    released: 'after the kill',
    async park(place, world) {
      const key = rolloutKey(place.environmentId, place.serviceId);
      const write = await holdWrite(databaseOf(world), 'cluster_slice', key);
      return await halfWritten(write, await world.deliveries.release(place), world);
    },
  },
  'started, not claimed': {
    where: 'shop',
    frozen: 'worker',
    async park(place, { deliveries, installation }) {
      const asked = await deliveries.release(place);
      const { temporal } = await installation.inside();
      const handle = temporal.client.workflow.getHandle(actorId('deployment', asked.id));
      await installation.until('its actor is started', () => handle.describe().catch(() => undefined));
      return waiting(asked, 'pending');
    },
  },
  'committed, not started': {
    where: 'shop',
    frozen: 'temporal',
    async park(place, { deliveries, installation }) {
      const asked = await deliveries.release(place);
      const { kysely } = await installation.database();
      const kinds = kysely.selectFrom('outbox').select('kind').where('actor_id', '=', actorId('deployment', asked.id));
      const lasts = async () => (await kinds.execute())[0]?.kind === 'start';
      return { ...waiting(asked, 'pending'), lasts };
    },
  },
} satisfies Record<string, Moment>;

export type MomentName = keyof typeof moments;
export const allMoments = Object.keys(moments) as MomentName[];
export const momentOf = (name: MomentName): Moment => moments[name];
