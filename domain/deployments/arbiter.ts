import { Plan } from './arbiter/plan.ts';
import { isClaimed, isHeld } from './arbiter/queue.ts';
import type {
  Admission,
  AdmissionEvent,
  Admitted,
  DecidedAs,
  Decision,
  New,
  Refusal,
  Snapshot,
} from './arbiter-types.ts';
import { isDeploymentCancellable } from './states.ts';

/**
 * The only rule of admission: who may start, who waits for what, who ends whom. Whoever calls it holds the lock of the
 * project, and writes all of the answer in one transaction. An event that comes twice changes nothing the second time.
 */
export function decide(snapshot: Snapshot, event: AdmissionEvent): Decision {
  switch (event.event) {
    case 'create':
      return create(snapshot, event.deployments);
    case 'claim':
      return claim(snapshot, event.id);
    case 'cancel':
      return cancel(snapshot, event.id, event.because);
    case 'decide':
      return decideApproval(snapshot, event.approvalId, event.decision);
    case 'finish':
      return finish(snapshot, event.id, event.state);
    case 'unbuilt':
      return unbuilt(snapshot, event.id);
    case 'review':
      return new Plan(snapshot).admission();
  }
}

function create(snapshot: Snapshot, deployments: readonly New[]): Decision {
  const plan = new Plan(snapshot);
  if (deployments.some(({ id }) => plan.find(id) !== undefined)) return plan.admission();
  const places = deployments.map(({ place }) => place);
  if (new Set(places).size < places.length)
    throw new Error(`Two new deployments have one place: ${places.join(', ')}.`);
  const suspended = deployments.filter(({ kind, place }) => kind !== 'resume' && snapshot.suspended.has(place));
  if (suspended.length > 0) return { refused: 'service-suspended', places: suspended.map(({ place }) => place) };
  for (const { queue: _, ...one } of deployments) {
    const blocker = one.approvalId === undefined ? '' : 'approval';
    const inserted = plan.insert({ ...one, state: 'pending', blocker, cancelRequested: false });
    if (blocker === 'approval') supersedeHeld(plan, inserted);
    else passGate(plan, inserted);
  }
  return atLimit(snapshot, plan, deployments) ?? plan.admission();
}

/** A direct start that may not wait needs a slot now: a free one, or for a rollback the one of its own place. */
function atLimit({ concurrency }: Snapshot, plan: Plan, deployments: readonly New[]): Refusal | undefined {
  const queue = plan.queue();
  const claimed = plan.open.filter(isClaimed);
  const granted = [...queue.values()].filter((blocker) => blocker === '').length;
  if (claimed.length + granted < concurrency) return undefined;
  const refused = deployments.some(
    ({ id, place, kind, queue: mayWait, approvalId, changeSetId }) =>
      !(mayWait || approvalId !== undefined || changeSetId !== undefined) &&
      queue.get(id) !== '' &&
      !(kind === 'rollback' && claimed.some((one) => one.place === place)),
  );
  return refused ? { refused: 'at-limit', concurrency } : undefined;
}

/** A held one supersedes held ones only, and members of a change set that is not applied stay together. */
function supersedeHeld(plan: Plan, by: Admitted): void {
  for (const one of plan.at(by.place)) {
    if (one.id !== by.id && isHeld(one) && one.changeSetId === undefined) plan.drop(one, 'superseded');
  }
}

/** One past its gate supersedes all that wait at its place; a rollback also asks the one that rolls there to cancel. */
function passGate(plan: Plan, by: Admitted): void {
  for (const one of plan.at(by.place)) {
    if (one.id === by.id || (isHeld(one) && one.changeSetId !== undefined)) continue;
    if (!isClaimed(one)) plan.supersede(one, by);
    else if (by.kind === 'rollback' && isDeploymentCancellable(one.state)) plan.askToCancel(one);
  }
}

function claim(snapshot: Snapshot, id: string): Admission {
  const plan = new Plan(snapshot);
  const deployment = plan.find(id);
  if (deployment === undefined) return plan.admission({ claimed: false });
  const isItsTurn = plan.queue().get(id) === '';
  if (isItsTurn) plan.claim(deployment);
  return plan.admission({ claimed: isItsTurn || isClaimed(deployment) });
}

function cancel(snapshot: Snapshot, id: string, because: 'person' | 'rollback' | 'superseded'): Decision {
  const plan = new Plan(snapshot);
  const deployment = plan.find(id);
  if (deployment === undefined) return { refused: 'already-final' };
  const { state } = deployment;
  if (!isClaimed(deployment)) plan.drop(deployment, because === 'person' ? 'cancelled' : 'superseded');
  else if (because === 'superseded' || !isDeploymentCancellable(state)) return { refused: 'not-cancellable', state };
  else plan.askToCancel(deployment);
  return plan.admission();
}

/** All that an approval holds is admitted together, or ends together. */
function decideApproval(snapshot: Snapshot, approvalId: string, decision: DecidedAs): Admission {
  const plan = new Plan(snapshot);
  const held = plan.open.filter((one) => isHeld(one) && one.approvalId === approvalId);
  for (const one of held) {
    if (decision === 'approved') plan.release(one);
    else plan.reject(one, decision);
  }
  if (decision === 'approved') for (const one of held) passGate(plan, one);
  return plan.admission();
}

/** Nothing begins after it; twice is once, since those that waited for it have ended by then. */
function unbuilt(snapshot: Snapshot, id: string): Admission {
  const plan = new Plan(snapshot);
  plan.miss(id);
  return plan.admission();
}

function finish(snapshot: Snapshot, id: string, state: 'live' | 'failed' | 'cancelled'): Decision {
  const plan = new Plan(snapshot);
  const deployment = plan.find(id);
  if (deployment === undefined) return plan.admission();
  if (!isClaimed(deployment) && state !== 'failed') return { refused: 'not-claimed', state: deployment.state };
  plan.end(deployment, state);
  plan.closeApproval(deployment, 'cancelled');
  if (state !== 'live') return plan.admission();
  const { place, releaseId } = deployment;
  return plan.admission({ live: { place, releaseId, deploymentId: id, before: snapshot.live.get(place) } });
}
