import type { Admission, Decision } from '../../domain/deployments/arbiter-types.ts';
import { Problem } from '../../domain/problems.ts';

/** The answer of the arbiter, or its refusal as a problem. `what`: the subject of the sentence. */
export function refuseAdmission(decision: Decision, what: string): Admission {
  if (!('refused' in decision)) return decision;
  switch (decision.refused) {
    case 'at-limit':
      throw new Problem(
        'deployments-at-limit',
        `${what} cannot start: all ${decision.concurrency} deployment slots of the project are taken. Wait for one, or send queue: true.`,
      );
    case 'service-suspended':
      throw new Problem('service-suspended', `${what} cannot start: the service is suspended there. Resume it first.`);
    case 'already-final':
      throw new Problem('already-decided', `${what} has already ended.`);
    case 'not-claimed':
    case 'not-cancellable':
      throw new Problem(
        'already-decided',
        `${what} can no longer be cancelled, because the new release serves already: roll back to return to the one before.`,
      );
  }
}
