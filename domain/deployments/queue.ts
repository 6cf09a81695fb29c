import type { Admitted, RolloutSlot } from './arbiter-types.ts';
import { isDeploymentClaimed } from './states.ts';

/** Of an open deployment: a person has to decide before it may be claimed. */
export function isHeld({ state, blocker }: Admitted): boolean {
  return state === 'pending' && blocker === 'approval';
}

export function isClaimed({ state }: Admitted): boolean {
  return isDeploymentClaimed(state);
}

export type Waiting = 'slot' | 'earlier-deployment' | 'dependency' | 'build' | '';

/**
 * What each deployment past its gate waits for; nothing means that it is its turn. Rollbacks come first, then who came
 * first. One whose place is taken lets others pass: its turn comes with its place, and then it stands before them. At
 * most one waits at a place, since it superseded the others. One that comes after others takes no slot while they are open or still to come.
 */
export function queue(
  deployments: readonly Admitted[],
  concurrency: number,
  building: ReadonlySet<string>,
): Map<string, Waiting> {
  const claimed = deployments.filter(isClaimed);
  const taken = new Set<RolloutSlot>(claimed.map(({ place }) => place));
  const waiting = deployments.filter((one) => one.state === 'pending' && !isHeld(one)).sort(rollbacksFirst);
  const open = new Set(deployments.map(({ id }) => id));
  let free = concurrency - claimed.length;
  return new Map(
    waiting.map(({ id, place, after = [] }): [string, Waiting] => {
      if (taken.has(place)) return [id, 'earlier-deployment'];
      if (after.some((before) => open.has(before))) return [id, 'dependency'];
      if (after.some((before) => building.has(before))) return [id, 'build'];
      if (free <= 0) return [id, 'slot'];
      free -= 1;
      return [id, ''];
    }),
  );
}

function rollbacksFirst(one: Admitted, other: Admitted): number {
  return Number(other.kind === 'rollback') - Number(one.kind === 'rollback') || one.order - other.order;
}
