import type {
  Admission,
  AdmissionEvent,
  Admitted,
  Change,
  DecidedAs,
  Decision,
  New,
  Refusal,
  RolloutSlot,
  Snapshot,
} from './arbiter-types.ts';
import { isClaimed, isHeld, queue, type Waiting } from './queue.ts';
import { type FinalDeploymentState, isDeploymentCancellable, isDeploymentFinal } from './states.ts';

/** The working copy of one decision: the rules change it, and its difference from the snapshot is what is written. */
class Plan {
  readonly #snapshot: Snapshot;
  readonly #open: Map<string, Admitted>;
  /** The place of the last one in the queue. */
  #last: number;
  readonly #ended = new Map<string, FinalDeploymentState>();
  readonly #stop: string[] = [];
  /** Those that ended because one before them did not go live. */
  readonly #stranded = new Set<string>();
  readonly #decided: string[] = [];
  readonly #closed: { approvalId: string; decision: 'superseded' | 'cancelled' }[] = [];

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#open = new Map(snapshot.deployments.map((one) => [one.id, one]));
    this.#last = Math.max(0, ...snapshot.deployments.map(({ order }) => order));
  }

  find(id: string): Admitted | undefined {
    return this.#open.get(id);
  }

  get open(): readonly Admitted[] {
    return [...this.#open.values()];
  }

  at(place: RolloutSlot): readonly Admitted[] {
    return this.open.filter((one) => one.place === place);
  }

  insert(deployment: Omit<Admitted, 'order'>): Admitted {
    this.#last += 1;
    const inserted = { ...deployment, order: this.#last };
    this.#open.set(inserted.id, inserted);
    return inserted;
  }

  /** Its actor was told, or says so itself. */
  end({ id }: Admitted, state: FinalDeploymentState): void {
    this.#open.delete(id);
    this.#ended.set(id, state);
  }

  /** A deployment that was to come will not. */
  miss(id: string): void {
    if (!this.#open.has(id)) this.#ended.set(id, 'failed');
  }

  /**
   * A newer one takes its place, in the queue, too: a service that is applied to all the time would never have its turn. Those
   * that waited for it wait for that one.
   */
  supersede(waiting: Admitted, by: Admitted): void {
    this.drop(waiting, 'superseded');
    const successor = this.#open.get(by.id) ?? by;
    if (!isHeld(waiting) && waiting.order < successor.order)
      this.#open.set(by.id, { ...successor, order: waiting.order });
    for (const one of this.open) {
      if (one.after?.includes(waiting.id) !== true) continue;
      this.#open.set(one.id, { ...one, after: one.after.map((id) => (id === waiting.id ? by.id : id)) });
    }
  }

  /** Nothing begins after one that did not go live, nor after those that end by that. */
  #strand(): void {
    const failed = (id: string): boolean => !['live', 'superseded', undefined].includes(this.#ended.get(id));
    const next = (): Admitted | undefined =>
      this.open.find(({ state, after = [] }) => state === 'pending' && after.some(failed));
    for (let one = next(); one !== undefined; one = next()) {
      this.drop(one, 'cancelled');
      this.#stranded.add(one.id);
    }
  }

  /** A waiting one ends before its claim, by the decision of somebody else. */
  drop(deployment: Admitted, state: 'superseded' | 'cancelled'): void {
    this.end(deployment, state);
    this.closeApproval(deployment, state);
    this.#stop.push(deployment.id);
  }

  /** Nothing is left to approve once the last deployment that an approval held has ended. */
  closeApproval(ended: Admitted, decision: 'superseded' | 'cancelled'): void {
    const { approvalId } = ended;
    if (approvalId === undefined || !isHeld(ended)) return;
    if (this.open.some((one) => isHeld(one) && one.approvalId === approvalId)) return;
    this.#closed.push({ approvalId, decision });
  }

  release(held: Admitted): void {
    this.#open.set(held.id, { ...held, blocker: '' });
    this.#decided.push(held.id);
  }

  reject(held: Admitted, state: 'rejected' | 'expired' | 'cancelled'): void {
    this.end(held, state);
    this.#decided.push(held.id);
  }

  claim(waiting: Admitted): void {
    this.#open.set(waiting.id, { ...waiting, state: 'preparing', blocker: '' });
  }

  /** Asked again, its actor is told again: it may have missed the first message. */
  askToCancel(claimed: Admitted): void {
    this.#open.set(claimed.id, { ...claimed, cancelRequested: true });
    this.#stop.push(claimed.id);
  }

  /** The blockers of those past their gate, as of now. */
  queue(): ReadonlyMap<string, Waiting> {
    return queue(this.open, this.#snapshot.concurrency, this.#snapshot.building);
  }

  /** The blockers of all that wait are kept true by every decision. */
  admission(more: Pick<Admission, 'claimed' | 'live'> = {}): Admission {
    this.#strand();
    for (const [id, blocker] of this.queue()) {
      const waiting = this.#open.get(id);
      if (waiting !== undefined && waiting.blocker !== blocker) this.#open.set(id, { ...waiting, blocker });
    }
    const before = new Map(this.#snapshot.deployments.map((one) => [one.id, one]));
    const update = [...before.values()].flatMap((one) => this.#changeOf(one));
    return {
      insert: this.open.filter(({ id }) => !before.has(id)),
      update,
      wake: update
        .filter(({ id, state, blocker }) => state === undefined && blocker === '' && !this.#decided.includes(id))
        .map(({ id }) => id),
      stop: this.#stop,
      decided: this.#decided,
      closed: this.#closed,
      ...more,
    };
  }

  #changeOf(before: Admitted): Change[] {
    const open = this.#open.get(before.id);
    if (open === before) return [];
    const after = open ?? { ...before, state: this.#ended.get(before.id) ?? before.state };
    const state = after.state === before.state ? {} : { state: after.state };
    // The reason of another final one comes from its actor.
    const ended = this.#stranded.has(before.id) ? 'dependency' : '';
    const blocker = isDeploymentFinal(after.state) ? ended : after.blocker;
    const changed = {
      ...state,
      ...(blocker === before.blocker ? {} : { blocker }),
      ...(after.order === before.order ? {} : { order: after.order }),
      ...(after.cancelRequested === before.cancelRequested ? {} : { cancelRequested: true as const }),
      ...(after.after === before.after || after.after === undefined ? {} : { after: after.after }),
    };
    return Object.keys(changed).length === 0 ? [] : [{ id: before.id, ...changed }];
  }
}

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
