import type { DeploymentState, FinalDeploymentState } from '../../../domain/deployments/states.ts';
import type { Installation } from '../../installation/installation.ts';
import type { AgentMachine } from '../agent-machine.ts';
import type { Asked, Deliveries, Place } from '../deliveries.ts';
import type { Gates } from '../gates.ts';
import type { HeldImages } from '../held-image.ts';

/** Parts that stand still before a deployment is parked, in this order: each also for those that follow. */
export const frozens = ['nothing', 'the others', 'agent', 'worker', 'temporal'] as const;
export type Frozen = (typeof frozens)[number];

/** A service whose deployment stands still, and what becomes of it. */
export interface Parked {
  /** With the final state that each has to reach. */
  deployments: { asked: Asked; ends: FinalDeploymentState }[];
  /** The deployment that stands still, and how. */
  stands: { id: string; state: DeploymentState; blocker?: string };
  /** The rest of it that the deployment does not show. */
  lasts?(): Promise<boolean>;
  /** The release that serves in the end. */
  live: string;
  /** Lets it go on. */
  release(): Promise<void>;
}

/**
 * A project, and its environment where that is production. A transaction that stands still keeps its project to itself, and what
 * is not approved returns to a draft, from which nothing else may be applied.
 */
export const wheres = [
  'shop',
  'shop production',
  'narrow',
  'narrow production',
  'lone',
  'lone production',
  'ending',
  'claiming',
] as const;
export type Where = (typeof wheres)[number];

export interface Moment {
  /** Where it can happen. */
  where: Where;
  frozen: Frozen;
  park(place: Place, world: World): Promise<Parked>;
  /** Asked for when the worker stands still, so that nobody hears of it. */
  unheard?(place: Place, world: World, parked: Parked): Promise<void>;
  /**
   * When it is let go, if not once everything is whole again: just before the kill, so that both happen at the same time, or
   * right after it, since a transaction that goes on standing would keep others waiting.
   */
  released?: 'before the kill' | 'after the kill';
}

export interface World {
  installation: Installation;
  deliveries: Deliveries;
  images: HeldImages;
  gates: Gates;
  machine: AgentMachine;
  ingressPort: number;
}
