import { cancelBuild as cancel } from '../../db/builds/cancel-build.ts';
import { operation } from '../engine/operation.ts';
import { buildAnswer, buildPath, buildSchema, theBuild } from './build.ts';

export const cancelBuild = operation({
  method: 'POST',
  url: '/api/v1/builds/{id}/cancel',
  summary: 'Cancel a build',
  description: 'One that is queued ends at once. Of one that is running the agent ends all processes.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'already-decided'],
  path: buildPath,
  result: buildSchema,
  async handle({ caller, path, effect }) {
    const { id, serviceName } = await caller.see(theBuild, path.id, effect.kysely);
    await cancel(effect, id, serviceName);
    return buildAnswer(await caller.see(theBuild, id, effect.kysely));
  },
});
