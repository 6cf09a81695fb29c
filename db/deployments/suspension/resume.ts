import type { Effect } from '../../engine/effect.ts';
import type { Secrets } from '../../workloads/sealed-workload.ts';
import { type Asked, requestDeployment } from '../request-deployment.ts';
import { endSuspension, lockSuspension, recordResumed } from './suspension.ts';
import type { SuspensionPlace } from './suspension-place.ts';

export type Resumed =
  /** No deployment: the service runs already, or there is nothing to start. */
  | { deploymentId: undefined }
  /** The deployment that starts it, which may have been asked for before. */
  | { deploymentId: string };

/**
 * Starts again what ran, by a deployment of the live release that no approval holds. The service stays suspended until that is
 * live, so that one that is cancelled leaves it stopped; one that fails on the cluster ends the suspension, too.
 */
export async function resume(
  effect: Effect,
  keyring: Secrets,
  place: SuspensionPlace,
  { queue, answerableId }: Pick<Asked, 'queue' | 'answerableId'>,
): Promise<Resumed | Extract<Awaited<ReturnType<typeof requestDeployment>>, { refused: string }>> {
  const { suspended, liveReleaseId: id, open } = await lockSuspension(effect, place);
  if (!suspended) return { deploymentId: undefined };
  const [first] = open;
  if (first?.kind === 'resume') return { deploymentId: first.id };
  // A deployment that was to end by the suspension has not ended yet: it goes on, or the live release does.
  if (id === null || first !== undefined) {
    await endSuspension(effect, place);
    recordResumed(effect, place);
    return { deploymentId: undefined };
  }
  const asked = { kind: 'resume', queue, answerableId, reason: '', downtimeAccepted: false } as const;
  const requested = await requestDeployment(effect, keyring, { ...place, id }, asked);
  if ('refused' in requested) return requested;
  recordResumed(effect, place);
  return { deploymentId: requested.deploymentId };
}
