import type { Admission, Admitted, Change, Place, Snapshot } from '../arbiter-types.ts';
import { type FinalDeploymentState, isDeploymentFinal } from '../states.ts';
import { isHeld, queue, type Waiting } from './queue.ts';

/** The working copy of one decision: the rules change it, and its difference from the snapshot is what is written. */
export class Plan {
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

  at(place: Place): readonly Admitted[] {
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
