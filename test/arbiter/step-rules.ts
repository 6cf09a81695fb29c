import type { decide } from '../../domain/deployments/arbiter.ts';
import type {
  Admission,
  AdmissionEvent,
  Admitted,
  Decision,
  Refusal,
  Snapshot,
} from '../../domain/deployments/arbiter-types.ts';
import { isDeploymentFinal } from '../../domain/deployments/states.ts';
import { isClaimed, isHeld, isQueued } from './world.ts';

interface Step {
  before: Snapshot;
  event: AdmissionEvent;
  decision: Admission;
  after: Snapshot;
}

/** Rules that hold for each event and its answer, in other words than the arbiter's own; the first that is broken. */
export function brokenInStep(
  arbiter: typeof decide,
  before: Snapshot,
  event: AdmissionEvent,
  decision: Decision,
  after: Snapshot | undefined,
): string | undefined {
  if ('refused' in decision || after === undefined) return brokenRefusal(before, event, decision as Refusal);
  const step = { before, event, decision, after };
  return (
    brokenWrites(step) ??
    brokenEnds(step) ??
    brokenClaim(step) ??
    brokenCreation(step) ??
    brokenCancel(step) ??
    brokenApprovals(step) ??
    brokenLive(step) ??
    brokenMessages(step) ??
    brokenRepetition(arbiter, step)
  );
}

type Passing = Pick<Admitted, 'id' | 'place' | 'kind'>;

const ids = (deployments: readonly { id: string }[]): string[] => deployments.map(({ id }) => id);
const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && [...one].sort().join() === [...other].sort().join();
const find = (snapshot: Snapshot, id: string): Admitted | undefined =>
  snapshot.deployments.find((one) => one.id === id);
const openOf = (snapshot: Snapshot): Map<string, Admitted> => new Map(snapshot.deployments.map((one) => [one.id, one]));

/** Slots that are taken or given, by `others` than one. */
function taken({ deployments }: Snapshot, but?: string): number {
  return deployments.filter((one) => one.id !== but && (isClaimed(one) || (isQueued(one) && one.blocker === '')))
    .length;
}

function brokenRefusal(before: Snapshot, event: AdmissionEvent, { refused }: Refusal): string | undefined {
  if (event.event === 'create' && refused === 'at-limit') {
    const [one] = event.deployments;
    if (one === undefined || one.queue || one.approvalId !== undefined || one.changeSetId !== undefined) {
      return 'one that may wait was refused for want of a slot';
    }
    const claimed = before.deployments.filter(isClaimed);
    if (one.kind === 'rollback' && claimed.some(({ place }) => place === one.place)) {
      return 'a rollback was refused although the slot of its place follows';
    }
    const first = before.deployments.filter(
      (other) =>
        isQueued(other) &&
        other.place !== one.place &&
        !claimed.some(({ place }) => place === other.place) &&
        !before.deployments.some(({ id }) => other.after?.includes(id)) &&
        (one.kind !== 'rollback' || other.kind === 'rollback'),
    );
    if (claimed.length + first.length < before.concurrency) return 'a start was refused although a slot was free';
    return undefined;
  }
  const one = 'id' in event ? find(before, event.id) : undefined;
  if (event.event === 'cancel' && refused === 'not-cancellable' && one?.state === 'draining') return undefined;
  if (event.event === 'finish' && one?.state === 'pending' && event.state !== 'failed') return undefined;
  return `${event.event} was refused as ${refused} without a reason`;
}

/** Only open ones are written, each once, and a final state stays; a new one is last in the queue, or stands where one stood that it superseded. */
function brokenWrites({ before, event, decision, after }: Step): string | undefined {
  const written = ids(decision.update);
  if (new Set(written).size < written.length) return 'one was written twice';
  if (written.some((id) => find(before, id) === undefined)) return 'one that is not open was written';
  if (event.event === 'create' ? !same(ids(decision.insert), ids(event.deployments)) : decision.insert.length > 0) {
    return 'other deployments were inserted than requested';
  }
  const last = Math.max(0, ...before.deployments.map(({ order }) => order));
  const superseded = before.deployments.filter(
    (one) => isQueued(one) && decision.update.some(({ id, state }) => id === one.id && state === 'superseded'),
  );
  for (const one of [...decision.insert, ...after.deployments]) {
    const stood = find(before, one.id)?.order;
    const first = superseded.find(
      ({ place, order }) => place === one.place && order < (stood ?? Number.POSITIVE_INFINITY),
    );
    const passes = passed(before, event).some(({ id }) => id === one.id);
    if (
      passes && first !== undefined
        ? one.order !== first.order
        : stood !== undefined
          ? one.order !== stood
          : one.order <= last
    )
      return 'one does not stand at its place in the queue';
  }
  const orders = after.deployments.map(({ order }) => order);
  return new Set(orders).size < orders.length ? 'two stand at one place in the queue' : undefined;
}

/** Who ended, by whose event. */
function brokenEnds({ before, event, decision, after }: Step): string | undefined {
  const lost = decision.update.filter(({ state }) => state === 'failed' || state === 'cancelled').map(({ id }) => id);
  if (after.deployments.some((one) => one.after?.some((id) => lost.includes(id))))
    return 'one is open after another one that did not go live';
  for (const { id, state, blocker } of decision.update) {
    if (state === undefined || !isDeploymentFinal(state)) continue;
    const one = find(before, id) as Admitted;
    const byOneBefore = one.after?.some((other) => lost.includes(other)) === true;
    if (byOneBefore && one.state === 'pending' && state === 'cancelled' && !('id' in event && event.id === id)) {
      if ((blocker ?? one.blocker) !== 'dependency') return 'one that ended with another one does not say so';
      continue;
    }
    const byItself = 'id' in event && event.id === id;
    if (isClaimed(one) && !(event.event === 'finish' && byItself)) return 'a claimed one was ended by others';
    if (event.event === 'finish') {
      if (!isClaimed(one) && state !== 'failed') return 'one that waited ended as if it had run';
      if (!byItself || state !== event.state) return 'an end was recorded for another one, or another end';
    } else if (event.event === 'cancel') {
      if (!byItself || state !== 'cancelled') return 'a cancel ended another one, or otherwise';
    } else if (event.event === 'decide' && event.decision !== 'approved') {
      if (!isHeld(one) || one.approvalId !== event.approvalId || state !== event.decision)
        return 'a decision ended what it did not hold';
    } else if (state !== 'superseded') return `one that was superseded ended as ${state}`;
    else if (isHeld(one) && one.changeSetId !== undefined)
      return 'a member of a change set that is not applied was superseded singly';
    else if (
      ![...passed(before, event), ...(isQueued(one) ? [] : arrived(event))].some(({ place }) => place === one.place)
    ) {
      return 'one was superseded by nobody who may';
    }
  }
  return undefined;
}

/** Those that pass their gate by the event. */
function passed(before: Snapshot, event: AdmissionEvent): readonly Passing[] {
  if (event.event === 'create') return event.deployments.filter((one) => one.approvalId === undefined);
  if (event.event !== 'decide' || event.decision !== 'approved') return [];
  return before.deployments.filter((one) => isHeld(one) && one.approvalId === event.approvalId);
}

function arrived(event: AdmissionEvent): readonly Passing[] {
  return event.event === 'create' ? event.deployments : [];
}

function brokenClaim({ before, event, decision, after }: Step): string | undefined {
  for (const { id, state } of decision.update) {
    if (state === 'preparing' && !(event.event === 'claim' && event.id === id)) return 'one was claimed without asking';
  }
  if (event.event !== 'claim')
    return decision.claimed === undefined ? undefined : 'another event than a claim was answered as one';
  const one = find(before, event.id);
  const now = find(after, event.id);
  if (decision.claimed !== (now !== undefined && isClaimed(now)))
    return 'the answer to a claim is not what its row says';
  if (one === undefined || isClaimed(one) || decision.claimed !== true) return undefined;
  if (isHeld(one)) return 'a held one was claimed';
  return before.deployments.filter(isClaimed).length < before.concurrency
    ? undefined
    : 'one was claimed without a slot';
}

/** What a new one, or an approved one, does to the others of its place. */
function brokenCreation({ before, event, decision, after }: Step): string | undefined {
  for (const one of passed(before, event)) {
    const others = after.deployments.filter(({ id, place }) => id !== one.id && place === one.place);
    if (others.some((other) => isQueued(other) || (isHeld(other) && other.changeSetId === undefined))) {
      return 'one past its gate left another one waiting at its place';
    }
    const gone = before.deployments.filter((other) => other.place === one.place && find(after, other.id) === undefined);
    const followed = before.deployments.filter((other) => gone.some(({ id }) => other.after?.includes(id)));
    if (followed.some(({ id }) => find(after, id)?.after?.includes(one.id) === false))
      return 'one that waited for a superseded one does not wait for the newer one';
    const now = find(after, one.id);
    if (now === undefined || !isQueued(now)) return 'one past its gate is not in the queue';
    const rolling = others.find(isClaimed);
    if (rolling === undefined || one.kind !== 'rollback') continue;
    if (rolling.cancelRequested !== (rolling.state !== 'draining' || find(before, rolling.id)?.cancelRequested)) {
      return 'a rollback did not ask the one of its place to cancel, or asked too late';
    }
  }
  if (event.event !== 'create') return undefined;
  for (const one of event.deployments) {
    const now = find(after, one.id);
    if (now === undefined || now.state !== 'pending') return 'a new one does not begin as pending';
    if (isHeld(now) !== (one.approvalId !== undefined)) return 'a new one passed its gate, or was held without one';
    const mayWait = one.queue || one.changeSetId !== undefined || one.approvalId !== undefined;
    const follows =
      one.kind === 'rollback' && before.deployments.some((open) => isClaimed(open) && open.place === one.place);
    if (!mayWait && !follows && now.blocker !== '' && taken(after, one.id) >= after.concurrency) {
      return 'a start that may not wait was accepted without a slot';
    }
  }
  const held = event.deployments.filter((one) => one.approvalId !== undefined);
  for (const one of held) {
    if (
      after.deployments.some(
        (other) => other.id !== one.id && other.place === one.place && isHeld(other) && other.changeSetId === undefined,
      )
    ) {
      return 'a held one left another held one at its place';
    }
  }
  return held.length > 0 && decision.update.some(({ cancelRequested }) => cancelRequested)
    ? 'a held one asked another to cancel'
    : undefined;
}

function brokenCancel({ before, event, decision, after }: Step): string | undefined {
  const rollbacks = passed(before, event).filter(({ kind }) => kind === 'rollback');
  for (const { id, cancelRequested } of decision.update) {
    const one = find(before, id) as Admitted;
    const asked = (event.event === 'cancel' && event.id === id) || rollbacks.some(({ place }) => place === one.place);
    if (cancelRequested && (!asked || !isClaimed(one) || one.state === 'draining'))
      return 'one was asked to cancel by nobody who may';
  }
  if (event.event !== 'cancel') return undefined;
  const now = find(after, event.id);
  if (find(before, event.id)?.state === 'pending')
    return now === undefined ? undefined : 'one that waited was cancelled and is still open';
  if (now?.state === 'draining') return 'one whose release serves was cancelled';
  return now === undefined || now.cancelRequested ? undefined : 'a claimed one was cancelled and does not say so';
}

/** An approval closes when the last one that it held ended, unless by its own decision. */
function brokenApprovals({ before, event, decision, after }: Step): string | undefined {
  const held = (snapshot: Snapshot): string[] => [
    ...new Set(snapshot.deployments.filter(isHeld).map((one) => one.approvalId as string)),
  ];
  const still = held(after);
  const decided = event.event === 'decide' ? [event.approvalId] : [];
  const emptied = held(before).filter((id) => !still.includes(id) && !decided.includes(id));
  if (
    !same(
      decision.closed.map(({ approvalId }) => approvalId),
      emptied,
    )
  )
    return 'other approvals were closed than those that hold nothing any more';
  if (decided.some((id) => still.includes(id))) return 'a decided approval still holds one';
  const openAfter = openOf(after);
  if (event.event === 'decide' && event.decision !== 'approved') {
    const members = before.deployments.filter((one) => isHeld(one) && one.approvalId === event.approvalId);
    if (members.some(({ id }) => openAfter.has(id))) return 'a decision left one of its deployments open';
  }
  const why = event.event === 'cancel' || event.event === 'finish' ? 'cancelled' : 'superseded';
  return decision.closed.some((one) => one.decision !== why)
    ? 'an approval was closed by the wrong decision'
    : undefined;
}

function brokenLive({ before, event, decision, after }: Step): string | undefined {
  const one = event.event === 'finish' ? find(before, event.id) : undefined;
  const becomesLive = event.event === 'finish' && event.state === 'live' && one !== undefined;
  if (!becomesLive) return decision.live === undefined ? undefined : 'a release became live without a deployment';
  if (after.live.get(one.place) !== one.releaseId) return 'the release of the last live deployment does not serve';
  return decision.live?.before === before.live.get(one.place) ? undefined : 'the release before is not named';
}

function brokenMessages({ before, event, decision, after }: Step): string | undefined {
  const openAfter = openOf(after);
  const turned = before.deployments.filter((one) => {
    const now = openAfter.get(one.id);
    return one.blocker !== '' && one.state === 'pending' && now?.state === 'pending' && now.blocker === '';
  });
  const decided =
    event.event === 'decide'
      ? before.deployments.filter((one) => isHeld(one) && one.approvalId === event.approvalId)
      : [];
  if (!same(decision.decided, ids(decided))) return 'others were told of a decision than those it concerns';
  if (
    !same(
      decision.wake,
      ids(turned).filter((id) => !decision.decided.includes(id)),
    )
  )
    return 'others were woken than those whose turn has come';
  const byOthers = decision.update.filter(({ id, state, cancelRequested }) => {
    const ended = state !== undefined && isDeploymentFinal(state) && event.event !== 'finish';
    return (ended && !decision.decided.includes(id)) || cancelRequested === true;
  });
  return ids(byOthers).every((id) => decision.stop.includes(id))
    ? undefined
    : 'one that was ended or asked to end was not told';
}

/** A crash between commit and answer makes the caller ask again. */
function brokenRepetition(arbiter: typeof decide, { event, decision, after }: Step): string | undefined {
  const again = arbiter(after, event);
  if ('refused' in again) return event.event === 'cancel' ? undefined : `the same ${event.event} again is refused`;
  const changes = [again.insert, again.update, again.wake, again.closed].some((list) => list.length > 0);
  if (changes || again.live !== undefined) return `the same ${event.event} again changes something`;
  return again.claimed === decision.claimed ? undefined : 'the same claim again is answered otherwise';
}
