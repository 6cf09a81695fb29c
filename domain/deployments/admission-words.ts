import type { DeploymentBlocker, FinalDeploymentState } from './states.ts';

/** What one that is not claimed waits for, and who can end that. `before`: the names of the services that come first. */
export function waitingSentence(
  blocker: DeploymentBlocker | '',
  concurrency: number,
  before: readonly string[] = [],
): string {
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
    case 'dependency':
      return `Waits until ${named(before)}, on which it depends, went live. If that fails, this deployment is cancelled.`;
    case 'build':
      return `Waits until ${named(before)}, on which it depends, has been built and went live. If that fails, this deployment is cancelled.`;
    default:
      return `Waits for: ${blocker}.`;
  }
}

/** Why one ended whose services before it did not go live. */
export function strandedSentence(before: readonly string[]): string {
  return `Cancelled before it started: ${named(before)}, on which it depends, did not go live. Repair that, then retry the change set.`;
}

function named(services: readonly string[]): string {
  const list = new Intl.ListFormat('en', { type: 'conjunction' });
  return services.length === 0 ? 'a service' : list.format(services.map((one) => `"${one}"`));
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
