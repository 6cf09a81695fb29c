import { z } from 'zod';
import { lockSuspension, suspend } from '../../../db/deployments/suspension/suspension.ts';
import { operation } from '../../engine/operation.ts';
import { servicePath } from '../service.ts';
import { suspensionAnswer, suspensionPlace, suspensionSchema } from './suspension.ts';

export const suspendService = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/suspend',
  summary: 'Suspend a service in an environment',
  description:
    'Its instances end and its schedules pause at once, without an approval; volumes, addresses, settings and the live release stay. Until it is resumed, deployments of it answer 409, and applied changes are stored without being started. While a deployment of it is under way or waits there it is refused, naming who requested that and when, unless `deployments` says what becomes of it; changes that wait for an approval are decided first; while one still rolls, the service stops with its end, and `deployment` is that one. In production for admins. A service that is suspended stays so.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'role-too-low'],
  path: servicePath,
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    deployments: z
      .enum(['cancel', 'wait'])
      .optional()
      .describe(
        '`cancel`: all of it there are cancelled. `wait`: one that has begun may end; those that wait are cancelled.',
      ),
  }),
  result: suspensionSchema,
  async handle({ caller, path, body, effect }) {
    const place = await suspensionPlace(effect, caller, path.id, body.environmentId);
    await suspend(effect, place, body.deployments);
    return await suspensionAnswer(effect, place, (await lockSuspension(effect, place)).open[0]?.id);
  },
});
