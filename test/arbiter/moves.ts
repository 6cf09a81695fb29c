import type { AdmissionEvent, Admitted, New } from '../../domain/deployments/arbiter-types.ts';
import { isClaimed, isHeld, places, type World } from './world.ts';

/** Something that can happen next. */
export type Move =
  | { does: 'event'; event: AdmissionEvent; part: boolean; hears?: string }
  /** An actor goes on to its next state, which nobody admits. */
  | { does: 'advance'; id: string; part: true }
  | { does: 'slots'; concurrency: number; part: false };

export interface Rules {
  /** So many deployments are open at once, at most. */
  atOnce: number;
  /** The slots that the project has, one number at a time. */
  concurrency: readonly number[];
  /** `heard`: each message is heard in the end. `lost`: none is; the reconciler has actors whose turn it is claim again. */
  messages: 'heard' | 'lost';
}

/** `part`: the part of an actor, of the reconciler or of the person who decides, without which nothing becomes final. */
export function movesOf({ snapshot, told }: World, rules: Rules): Move[] {
  const { deployments } = snapshot;
  const moves: Move[] = [];
  const event = (one: AdmissionEvent, part = false): void => void moves.push({ does: 'event', event: one, part });
  for (const one of creations(deployments, rules.atOnce)) event({ event: 'create', deployments: one });
  for (const { id } of deployments) event({ event: 'cancel', id, because: 'person' });
  for (const approvalId of new Set(deployments.filter(isHeld).map((one) => one.approvalId as string))) {
    event({ event: 'decide', approvalId, decision: 'approved' }, true);
    event({ event: 'decide', approvalId, decision: 'rejected' }, true);
  }
  for (const one of deployments) moves.push(...movesOfActor(one, told, rules));
  for (const concurrency of rules.concurrency) {
    if (concurrency !== snapshot.concurrency) moves.push({ does: 'slots', concurrency, part: false });
  }
  return moves;
}

function movesOfActor(one: Admitted, told: ReadonlySet<string>, { messages }: Rules): Move[] {
  const { id } = one;
  const moves: Move[] = [];
  const claim = { event: 'claim', id } as const;
  if (messages === 'heard' && told.has(id)) {
    moves.push({ does: 'event', event: claim, part: true, hears: id });
    // The claim is committed and its answer lost with the worker: the actor asks again.
    moves.push({ does: 'event', event: claim, part: false });
  }
  if (messages === 'lost' && one.state === 'pending') {
    moves.push({ does: 'event', event: claim, part: one.blocker === '' });
  }
  const finish = (state: 'live' | 'failed' | 'cancelled'): Move => ({
    does: 'event',
    event: { event: 'finish', id, state },
    part: isClaimed(one),
  });
  moves.push(finish('failed'));
  // Nothing of it serves: the end of another history of this actor, which is refused.
  if (!isClaimed(one)) return [...moves, finish('live')];
  if (one.cancelRequested && one.state !== 'draining') moves.push(finish('cancelled'));
  if (one.state === 'draining') moves.push(finish('live'));
  else moves.push({ does: 'advance', id, part: true });
  return moves;
}

/** Requests for new deployments, of every kind and at every place. */
function creations(open: readonly Admitted[], atOnce: number): New[][] {
  const [first, second] = ['a', 'b', 'c', 'd', 'e', 'f'].filter((id) => !open.some((one) => one.id === id));
  const asked = ['A', 'B', 'C', 'D', 'E', 'F'].find((id) => !open.some((one) => one.approvalId === id));
  const room = atOnce - open.length;
  if (first === undefined || asked === undefined || room < 1) return [];
  const one = { id: first, releaseId: `release ${first}`, queue: true };
  const gate = { approvalId: asked };
  const singles = places.flatMap((place): New[] => [
    { ...one, place, kind: 'deploy' },
    { ...one, place, kind: 'deploy', queue: false },
    // Admitted like any other direct start, whatever it repeats.
    { ...one, place, kind: 'rerun', queue: false, ...gate },
    { ...one, place, kind: 'rollback' },
    { ...one, place, kind: 'rollback', queue: false },
    { ...one, place, kind: 'rollback', ...gate },
  ]);
  const requests = singles.map((single) => [single]);
  if (second === undefined || room < 2) return requests;
  const ofSet = { kind: 'change-set', changeSetId: asked, queue: false } as const;
  const other = { ...one, id: second, releaseId: `release ${second}` };
  return [
    ...requests,
    [
      { ...one, ...ofSet, place: 'p' },
      { ...other, ...ofSet, place: 'q' },
    ],
    [
      { ...one, ...ofSet, ...gate, place: 'p' },
      { ...other, ...ofSet, ...gate, place: 'q' },
    ],
    [
      { ...one, ...ofSet, place: 'p' },
      { ...other, ...ofSet, place: 'q', after: [first] },
    ],
    [
      { ...one, ...ofSet, ...gate, place: 'p' },
      { ...other, ...ofSet, ...gate, place: 'q', after: [first] },
    ],
  ];
}
