import type { decide } from '../../domain/deployments/arbiter.ts';
import { type Move, movesOf, type Rules } from './moves.ts';
import { brokenByAsking, brokenInState } from './state-rules.ts';
import { step } from './step.ts';
import { brokenInStep } from './step-rules.ts';
import { emptyWorld, isHeld, keyOf, type World } from './world.ts';

export interface Explored {
  states: number;
  steps: number;
  /** The rule that was broken first, and the way there. */
  broken?: string;
}

interface Node {
  world: World;
  from: number;
  by: Move | undefined;
  /** Where the parts of actors and of those who decide lead. */
  parts: number[];
}

/** Walks breadth first through every state that a project can reach, until a rule is broken. */
export function explore(arbiter: typeof decide, rules: Rules): Explored {
  const nodes: Node[] = [];
  const numbers = new Map<string, number>();
  let steps = 0;
  const reach = (world: World, from: number, by: Move | undefined): number => {
    const key = keyOf(world);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, nodes.length);
    nodes.push({ world, from, by, parts: [] });
    return nodes.length - 1;
  };
  const explored = (broken?: string): Explored => ({
    states: nodes.length,
    steps,
    ...(broken === undefined ? {} : { broken }),
  });

  reach(emptyWorld(rules.concurrency[0] ?? 1), -1, undefined);
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at] as Node;
    const wrong = brokenInState(node.world, rules) ?? brokenByAsking(arbiter, node.world);
    if (wrong !== undefined) return explored(`${wrong}: ${way(nodes, at)}`);
    for (const move of movesOf(node.world, rules)) {
      steps += 1;
      const { decision, after } = step(arbiter, node.world, move, rules);
      const broken =
        move.does === 'event' && decision !== undefined
          ? brokenInStep(arbiter, node.world.snapshot, move.event, decision, after?.snapshot)
          : undefined;
      if (broken !== undefined) return explored(`${broken}: ${way(nodes, at)} → ${told(move)}`);
      if (after === undefined) continue;
      const next = reach(after, at, move);
      if (move.part && next !== at) node.parts.push(next);
    }
  }
  const stuck = neverFinal(nodes);
  return explored(stuck === undefined ? undefined : `${stuck.why}: ${way(nodes, stuck.at)}`);
}

/**
 * Everything becomes final when nothing new comes: from no state do the parts of the actors lead round in a circle, and
 * only an empty project has nothing left to do.
 */
function neverFinal(nodes: readonly Node[]): { why: string; at: number } | undefined {
  for (const [at, { world, parts }] of nodes.entries()) {
    const { deployments } = world.snapshot;
    if (deployments.length > 0 && parts.length === 0) return { why: 'nobody has anything to do and some are open', at };
    if (deployments.length > 0 && !deployments.every(isHeld) && !someActorMoves(nodes, at)) {
      return { why: 'only a person could end the waiting of one that is not held', at };
    }
  }
  const circle = inCircle(nodes);
  return circle === undefined ? undefined : { why: 'the actors lead round in a circle', at: circle };
}

function someActorMoves(nodes: readonly Node[], at: number): boolean {
  const held = (node: Node): number => node.world.snapshot.deployments.filter(isHeld).length;
  const here = nodes[at] as Node;
  return here.parts.some((next) => held(nodes[next] as Node) === held(here));
}

/** Depth first, without recursion: a state that is met again before all behind it was seen is in a circle. */
function inCircle(nodes: readonly Node[]): number | undefined {
  const seen = new Uint8Array(nodes.length);
  for (let start = 0; start < nodes.length; start += 1) {
    const path = seen[start] === 0 ? [{ at: start, next: 0 }] : [];
    seen[start] = seen[start] || 1;
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = (nodes[top.at] as Node).parts[top.next];
      top.next += 1;
      if (next === undefined) {
        seen[top.at] = 2;
        path.pop();
      } else if (seen[next] === 1) return next;
      else if (seen[next] === 0) {
        seen[next] = 1;
        path.push({ at: next, next: 0 });
      }
    }
  }
  return undefined;
}

function way(nodes: readonly Node[], at: number): string {
  const moves: string[] = [];
  for (let node = nodes[at]; node?.by !== undefined; node = nodes[node.from]) moves.unshift(told(node.by));
  return moves.join(' → ') || 'at once';
}

function told(move: Move): string {
  if (move.does === 'advance') return `${move.id} goes on`;
  if (move.does === 'slots') return `slots: ${move.concurrency}`;
  const { event, ...more } = move.event;
  return `${event} ${JSON.stringify(Object.values(more))}`;
}
