import type { Rest } from '../engine/rest.ts';
import { type Deployment, isHeld, type Look } from './deployment.ts';

/** Nobody can approve it any more: another release is live, or settings were applied since it was requested. */
export class StaleApproval extends Error {
  override readonly name = 'StaleApproval';
  readonly deployments: Deployment[];
  readonly approvalId: string;

  constructor(deployments: Deployment[], approvalId: string) {
    super(`The approval ${approvalId} is stale.`);
    this.deployments = deployments;
    this.approvalId = approvalId;
  }
}

/** An approval is composed against its whole environment, so it is asked for less often than the deployment. */
const everyLooks = 10;

/** Looks on, and throws once the approval that is waited for cannot be given any more. */
export function untilStale(rest: Rest, look: Look): Look {
  let looks = 0;
  return async (signal) => {
    const deployments = await look(signal);
    const id = deployments.find(isHeld)?.approvalId;
    if (id === undefined || looks++ % everyLooks !== 0) return deployments;
    const { stale } = await rest.until(signal).call<{ stale?: boolean }>('GET', `/approvals/${id}`);
    if (stale === true) throw new StaleApproval(deployments, id);
    return deployments;
  };
}
