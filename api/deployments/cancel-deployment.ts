import { admit } from '../../db/deployments/admission.ts';
import { operation } from '../engine/operation.ts';
import { deploymentAnswer, deploymentPath, deploymentSchema, theDeployment } from './deployment.ts';
import { refuseAdmission } from './refuse-admission.ts';

export const cancelDeployment = operation({
  method: 'POST',
  url: '/api/v1/deployments/{id}/cancel',
  summary: 'Cancel a deployment',
  description:
    'One that waits ends at once. One that rolls is asked to end, and its cluster returns to the live release. Once the new release serves, only a rollback returns to the release before.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'already-decided'],
  path: deploymentPath,
  result: deploymentSchema,
  async handle({ caller, path, effect }) {
    const { id, projectId, serviceName, environmentName } = await caller.see(theDeployment, path.id, effect.kysely);
    const organizationId = caller.organization.id;
    refuseAdmission(
      await admit(effect, { organizationId, projectId }, { event: 'cancel', id, because: 'person' }),
      `The deployment of "${serviceName}" to "${environmentName}"`,
    );
    effect.audit({
      action: 'deployment.cancelled',
      organizationId,
      subjectKind: 'deployment',
      subjectId: id,
      subjectName: serviceName,
      details: { environment: environmentName },
    });
    return deploymentAnswer(await caller.see(theDeployment, id, effect.kysely));
  },
});
