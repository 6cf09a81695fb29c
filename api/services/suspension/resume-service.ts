import { z } from 'zod';
import { resume } from '../../../db/deployments/suspension/resume.ts';
import { startProblems } from '../../deployments/created-deployment.ts';
import { refuseAdmission } from '../../deployments/refuse-admission.ts';
import { operation } from '../../engine/operation.ts';
import { servicePath } from '../service.ts';
import { suspensionAnswer, suspensionPlace, suspensionSchema } from './suspension.ts';

export const resumeService = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/resume',
  summary: 'Resume a suspended service in an environment',
  description:
    'Deploys the live release again, the same bytes, without an approval: it was approved when it went live. The service is suspended until that deployment is live, so one that is cancelled leaves it suspended; one that fails on its cluster ends the suspension, too, so that a deployment can mend it. What was applied meanwhile, to it or to values that it refers to, is not part of it, and shows as drift. In production for admins. A service that runs is left alone; asked again, the deployment that is under way is answered.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: [...startProblems, 'role-too-low'],
  path: servicePath,
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    queue: z
      .boolean()
      .default(false)
      .describe('Wait for a slot instead of 409 while the project runs its maximum of deployments.'),
  }),
  result: suspensionSchema,
  async handle({ caller, path, body: { environmentId, queue }, effect, server }) {
    const place = await suspensionPlace(effect, caller, path.id, environmentId);
    const asked = { queue, answerableId: caller.answerableId };
    const resumed = await resume(effect, server.keyring, place, asked);
    if ('refused' in resumed) throw refuseAdmission(resumed, 'The deployment');
    return await suspensionAnswer(effect, place, resumed.deploymentId);
  },
});
