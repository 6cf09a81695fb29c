import { isDeploymentClaimed } from '../../../domain/deployments/states.ts';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { admit } from '../admission.ts';
import type { EndOpen, OpenThere } from './open-there.ts';
import type { SuspensionPlace } from './suspension-place.ts';

/**
 * Ends the deployments of a place. Those that have not begun are cancelled; one that rolls is asked to cancel, or goes on. False:
 * one still rolls, and the workload is its own until it ends.
 */
export async function endOpen(
  effect: Effect,
  place: SuspensionPlace,
  open: readonly OpenThere[],
  how: EndOpen,
): Promise<boolean> {
  for (const { id, kind, state } of open) {
    const rolls = isDeploymentClaimed(state);
    if (rolls && how === 'wait' && kind !== 'resume') continue;
    const decision = await admit(effect, place, { event: 'cancel', id, because: 'person' });
    // Its release serves already, so that it ends by itself in a moment; a resumption would end the suspension then.
    if ('refused' in decision && kind === 'resume') {
      throw new Problem(
        'conflict',
        `"${place.service}" is just being resumed in "${place.environment}": suspend it once that is live.`,
      );
    }
  }
  return !open.some(({ state }) => isDeploymentClaimed(state));
}
