import type { Admission, Admitted, Change, Snapshot } from '../../domain/deployments/arbiter-types.ts';
import { isDeploymentFinal } from '../../domain/deployments/states.ts';

/** The project after the writes of a decision. */
export function carryOut(snapshot: Snapshot, { insert, update, live }: Admission): Snapshot {
  const changes = new Map(update.map((change) => [change.id, change]));
  const open = [...snapshot.deployments, ...insert].flatMap((one) => changed(one, changes.get(one.id)));
  // As they are loaded again.
  const deployments = open.toSorted((one, other) => one.order - other.order);
  if (live === undefined) return { ...snapshot, deployments };
  return { ...snapshot, deployments, live: new Map(snapshot.live).set(live.place, live.releaseId) };
}

function changed(one: Admitted, change: Change | undefined): Admitted[] {
  if (change === undefined) return [one];
  const { state = one.state, ...rest } = change;
  return isDeploymentFinal(state) ? [] : [{ ...one, ...rest, state }];
}
