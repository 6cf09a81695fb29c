import type { ProjectRef } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import type { ChangeSetRecord } from '../change-sets.ts';
import type { EnvironmentRef } from '../environment-ref.ts';

/** A change set that was asked for, as the caller saw it. */
export type AppliedSet = ProjectRef & EnvironmentRef & Pick<ChangeSetRecord, 'id' | 'state' | 'title' | 'appliedAt'>;

/** Records what somebody did about it afterwards. */
export function auditAfter(
  effect: Effect,
  { id, organizationId, environmentId }: AppliedSet,
  deed: 'cancelled' | 'retried' | 'reverted',
  environment: string,
  details: Readonly<Record<string, string | number | readonly string[]>>,
): void {
  effect.audit(`change_set.${deed}`, { organizationId, id, name: environment }, { environmentId, ...details });
}
