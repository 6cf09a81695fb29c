import type { decide } from '../../domain/deployments/arbiter.ts';
import type { AdmissionEvent, Admitted, New, Snapshot } from '../../domain/deployments/arbiter-types.ts';
import type { Rules } from './moves.ts';
import { isClaimed, isHeld, isQueued, places, type World } from './world.ts';

const inOrder = (one: Admitted, other: Admitted): boolean =>
  one.kind === other.kind || (one.kind !== 'rollback' && other.kind !== 'rollback')
    ? one.order < other.order
    : one.kind === 'rollback';

/** Rules that hold in each state, in other words than the arbiter's own; the first that is broken. */
export function brokenInState({ snapshot, told }: World, { concurrency, messages }: Rules): string | undefined {
  const { deployments } = snapshot;
  const claimed = deployments.filter(isClaimed);
  const queued = deployments.filter(isQueued);
  if (claimed.length > Math.max(...concurrency)) return 'more are claimed than there are slots';
  for (const place of places) {
    const here = deployments.filter((one) => one.place === place);
    if (here.filter(isClaimed).length > 1) return 'two roll at one place';
    if (here.filter(isQueued).length > 1) return 'two are past their gate and wait at one place';
    if (here.filter((one) => isHeld(one) && one.changeSetId === undefined).length > 1) return 'two are held singly';
  }
  const hasPlace = ({ place }: Admitted) => !claimed.some((one) => one.place === place);
  const comesAfter = ({ after }: Admitted) => deployments.some(({ id }) => after?.includes(id));
  if (claimed.some(comesAfter)) return 'one rolls before one that it comes after is live';
  const startable = queued.filter((one) => hasPlace(one) && !comesAfter(one));
  for (const one of queued) {
    const before = startable.filter((other) => other !== one && inOrder(other, one)).length;
    const could = startable.includes(one) && claimed.length + before < snapshot.concurrency;
    if (could && one.blocker !== '') return `one waits for ${one.blocker} although it could run`;
    if (!could && one.blocker === '') return 'one has a turn although it could not run';
    const waitsFor = !hasPlace(one) ? 'earlier-deployment' : comesAfter(one) ? 'dependency' : 'slot';
    if (!could && one.blocker !== waitsFor) {
      return `one waits for something else than its blocker ${one.blocker} says`;
    }
    if (messages === 'heard' && one.blocker === '' && !told.has(one.id)) return 'one has a turn and was not told';
  }
  if (claimed.some((one) => one.blocker !== '')) return 'a claimed one has a blocker of one that waits';
  const sets = Map.groupBy(deployments.filter(isHeld), (one) => one.approvalId);
  for (const held of sets.values()) {
    if (new Set(held.map((one) => one.changeSetId)).size > 1) return 'one approval holds two requests';
  }
  return undefined;
}

/** Questions that change nothing, asked in each state; the first that is answered wrongly. */
export function brokenByAsking(arbiter: typeof decide, { snapshot }: World): string | undefined {
  const refused = (event: AdmissionEvent, suspended: ReadonlySet<string> = new Set()): string => {
    const decision = arbiter({ ...snapshot, suspended }, event);
    return 'refused' in decision ? decision.refused : '';
  };
  const one = { id: 'new', place: 'p', releaseId: 'release', kind: 'deploy', queue: true } as const;
  const create = (more: Partial<New>): AdmissionEvent => ({ event: 'create', deployments: [{ ...one, ...more }] });
  for (const more of [{}, { approvalId: 'new' }, { changeSetId: 'new' }]) {
    if (refused(create(more), new Set(['p'])) !== 'service-suspended') return 'a suspended service was started';
  }
  if (refused(create({ kind: 'resume' }), new Set(['p'])) !== '') return 'a suspended service cannot be resumed';
  if (refused(create({}), new Set(['q'])) !== '') return 'a service was taken for suspended';
  for (const { id } of snapshot.deployments.filter(isClaimed)) {
    const superseded = refused({ event: 'cancel', id, because: 'superseded' });
    if (superseded !== 'not-cancellable') return 'a claimed one was superseded';
  }
  if (refused({ event: 'cancel', id: 'ended', because: 'person' }) !== 'already-final')
    return 'a final one was cancelled';
  for (const event of [...late, ...again(snapshot)]) {
    const decision = arbiter(snapshot, event);
    if ('refused' in decision) return `a late ${event.event} was refused`;
    if (decision.insert.length + decision.update.length + decision.wake.length > 0 || decision.live)
      return `a late ${event.event} changed something`;
    if (decision.claimed === true) return 'a final one was claimed';
  }
  return undefined;
}

/** Said once more by somebody who does not know how it ended. */
const late: readonly AdmissionEvent[] = [
  { event: 'claim', id: 'ended' },
  { event: 'finish', id: 'ended', state: 'live' },
  { event: 'decide', approvalId: 'decided', decision: 'approved' },
  { event: 'review' },
];

/** Requests and decisions whose answers were lost, and which come when others have gone on. */
function again({ deployments }: Snapshot): AdmissionEvent[] {
  return deployments.flatMap((one): AdmissionEvent[] => {
    const create = { event: 'create', deployments: [{ ...one, queue: false }] } as const;
    if (one.approvalId === undefined || isHeld(one)) return [create];
    return [create, { event: 'decide', approvalId: one.approvalId, decision: 'rejected' }];
  });
}
