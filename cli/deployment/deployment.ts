import type { z } from 'zod';
import type { deploymentSchema } from '../../api/deployments/deployment.ts';
import { isDeploymentFinal } from '../../domain/deployments/states.ts';

export type Deployment = z.output<typeof deploymentSchema>;

export function isOpen({ state }: Deployment): boolean {
  return !isDeploymentFinal(state);
}

export function isHeld({ state, blocker }: Deployment): boolean {
  return state === 'pending' && blocker === 'approval';
}

/** Asks for the deployments that are followed, for as long as the signal lets. */
export type Look = (signal: AbortSignal) => Promise<Deployment[]>;
