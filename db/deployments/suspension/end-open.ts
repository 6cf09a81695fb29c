import { isDeploymentClaimed } from '../../../domain/deployments/states.ts';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { admit } from '../admission.ts';
import type { SuspensionPlace } from './suspension-place.ts';

/** The fate of deployments of a service that is to be suspended: all end, or those that roll may end by themselves. */
export type EndOpen = 'cancel' | 'wait';

/**
 * Ends the deployments of a place. Those that have not begun are cancelled; one that rolls is asked to cancel, or goes on. False:
 * one still rolls, and the workload is its own until it ends. Throws a Problem where that would end what is decided together with
 * others.
 */
export async function endOpen(effect: Effect, place: SuspensionPlace, how: EndOpen): Promise<boolean> {
  const { organizationId, environmentId, serviceId, service, environment } = place;
  const open = await tenant(effect.kysely, organizationId)
    .selectFrom('deployment')
    .select(['id', 'kind', 'state', 'waits_for as waitsFor', 'change_set_id as changeSetId'])
    .select('approval_id as approvalId')
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where('finished_at', 'is', null)
    .orderBy('admission_order')
    .execute();
  const shared = open.find(({ waitsFor, changeSetId }) => waitsFor === 'approval' && changeSetId !== null);
  if (shared !== undefined) {
    throw new Problem(
      'conflict',
      `Changes of "${service}" wait for the approval ${shared.approvalId} in "${environment}": decide it first, then suspend the service.`,
    );
  }
  for (const { id, kind, state } of open) {
    const rolls = isDeploymentClaimed(state);
    if (rolls && how === 'wait' && kind !== 'resume') continue;
    const decision = await admit(effect, place, { event: 'cancel', id, because: 'person' });
    // Its release serves already, so that it ends by itself in a moment; a resumption would end the suspension then.
    if ('refused' in decision && kind === 'resume') {
      throw new Problem(
        'conflict',
        `"${service}" is just being resumed in "${environment}": suspend it once that is live.`,
      );
    }
  }
  return !open.some(({ state }) => isDeploymentClaimed(state));
}
