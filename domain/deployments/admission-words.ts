import type { DeploymentBlocker, FinalDeploymentState } from './states.ts';

/** What one that is not claimed waits for, and who can end that. */
export function waitingSentence(blocker: DeploymentBlocker | '', concurrency: number): string {
  switch (blocker) {
    case '':
      return '';
    case 'approval':
      return 'Waits for approval by an admin or an owner of the organization.';
    case 'slot':
      return concurrency === 1
        ? 'Waits for the deployment slot of the project. It starts when the running deployment finishes; cancel that one, or give the project more slots, to start it earlier.'
        : `Waits for one of the project's ${concurrency} deployment slots. It starts when a running deployment finishes; cancel one, or give the project more slots, to start it earlier.`;
    case 'earlier-deployment':
      return 'Waits for the earlier deployment of this service to finish; cancel that one to start it earlier.';
    default:
      return `Waits for: ${blocker}.`;
  }
}

/** How one ended; `waited`: before its claim. */
export function endSentence(state: FinalDeploymentState, waited: boolean): string {
  switch (state) {
    case 'live':
      return 'The release is live.';
    case 'failed':
      return waited ? 'Failed before it started.' : 'The deployment failed.';
    case 'superseded':
      return 'Superseded by a newer deployment of this service before it started.';
    case 'cancelled':
      return waited ? 'Cancelled before it started.' : 'Cancelled.';
    case 'rejected':
      return 'Rejected: the release before stays live.';
    case 'expired':
      return 'Expired: nobody decided on its approval in time.';
  }
}
