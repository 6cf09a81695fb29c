import type { decide } from '../../domain/deployments/arbiter.ts';
import type { Admission, Decision, Snapshot } from '../../domain/deployments/arbiter-types.ts';
import { isDeploymentClaimed } from '../../domain/deployments/states.ts';
import { carryOut } from './carry-out.ts';
import type { Move, Rules } from './moves.ts';
import type { World } from './world.ts';

/** The claimed states that rules tell apart. */
const walk = { preparing: 'switching', switching: 'draining' } as const;

/** The world after a move; undefined for one that was refused. */
export function step(
  arbiter: typeof decide,
  world: World,
  move: Move,
  { messages }: Rules,
): { decision?: Decision; after?: World } {
  const { snapshot, told } = world;
  if (move.does === 'advance') {
    const deployments = snapshot.deployments.map((one) =>
      one.id === move.id ? { ...one, state: walk[one.state as keyof typeof walk] } : one,
    );
    return { after: { snapshot: { ...snapshot, deployments }, told } };
  }
  const decision = decisionOf(arbiter, snapshot, move);
  if ('refused' in decision) return { decision };
  const base = move.does === 'slots' ? { ...snapshot, concurrency: move.concurrency } : snapshot;
  const next = carryOut(base, decision);
  return { decision, after: { snapshot: next, told: messages === 'lost' ? told : hear(told, next, move, decision) } };
}

function decisionOf(arbiter: typeof decide, snapshot: Snapshot, move: Exclude<Move, { does: 'advance' }>): Decision {
  if (move.does === 'event') return arbiter(snapshot, move.event);
  return arbiter({ ...snapshot, concurrency: move.concurrency }, { event: 'review' });
}

/** A message to cancel is left out: its actor may act on it at any time. */
function hear(told: ReadonlySet<string>, next: Snapshot, move: Move, decision: Admission): ReadonlySet<string> {
  const now = new Set(told);
  if (move.does === 'event' && move.hears !== undefined) now.delete(move.hears);
  for (const { id } of decision.insert) now.add(id);
  for (const id of [...decision.wake, ...decision.decided]) now.add(id);
  // A start or a turn that reaches an actor whose claim is committed is answered by the same claim.
  for (const id of now) {
    const one = next.deployments.find((open) => open.id === id);
    if (one === undefined || (isDeploymentClaimed(one.state) && one.state !== 'preparing')) now.delete(id);
  }
  return now;
}
