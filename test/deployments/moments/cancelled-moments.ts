import type { Place } from '../deliveries.ts';
import type { Moment, Parked, World } from './moment.ts';
import { checking, draining, liveRelease, preparing, releasing, waiting } from './parked.ts';

type Park = (place: Place, world: World) => Promise<Parked>;

/** The same, and it ends as cancelled, so the release before it goes on serving. */
function cancelled(park: Park): Park {
  return async (place, world) => {
    const live = await liveRelease(world, place);
    const parked = await park(place, world);
    return { ...parked, deployments: parked.deployments.map((one) => ({ ...one, ends: 'cancelled' as const })), live };
  };
}

/** One that waits ends with the request: it is asked for just before the kill, so that the answer is all that is left of it. */
function waits(where: Moment['where'], blocker: string): Moment {
  return {
    ...{ where, frozen: 'nothing', released: 'before the kill' },
    park: cancelled(async (place, { deliveries }) => {
      const asked = await deliveries.release(place);
      return { ...waiting(asked, 'pending', blocker), release: () => deliveries.cancel(asked.id) };
    }),
  };
}

/**
 * One that rolls is asked to cancel while the worker stands still, so nobody has heard of it when something is killed. Let go,
 * it could be live before anybody does.
 */
function rolls(park: Park): Moment {
  return {
    ...{ where: 'shop', frozen: 'nothing' },
    park: cancelled(async (place, world) => ({ ...(await park(place, world)), release: async () => {} })),
    unheard: (_, { deliveries }, { stands }) => deliveries.cancel(stands.id),
  };
}

/**
 * Each stage in which a deployment can be asked to cancel. `asked to cancel` among the others is the one that starts. The switch
 * is one pass of the agent.
 */
export const cancelledMoments = {
  'held, then cancelled': waits('lone production', 'approval'),
  'queued, then cancelled': waits('narrow', 'slot'),
  'preparing, asked to cancel': rolls(preparing),
  'releasing, asked to cancel': rolls(releasing),
  'checking, asked to cancel': rolls(checking),
  'draining, too late to cancel': {
    ...{ where: 'shop', frozen: 'nothing' },
    park: draining,
    async unheard(_, { deliveries }, { stands }) {
      const refused = await deliveries.cancel(stands.id).then(
        () => 'accepted',
        (error: Error) => error.message,
      );
      if (!refused.includes(': 409 ')) throw new Error(`A deployment that drains was asked to cancel: ${refused}`);
    },
  },
} satisfies Record<string, Moment>;
