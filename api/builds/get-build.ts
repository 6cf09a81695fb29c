import { operation } from '../engine/operation.ts';
import { buildAnswer, buildPath, buildSchema, theBuild } from './build.ts';

export const getBuild = operation({
  method: 'GET',
  url: '/api/v1/builds/{id}',
  summary: 'Get a build',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: buildPath,
  result: buildSchema,
  handle: async ({ caller, path }) => buildAnswer(await caller.see(theBuild, path.id)),
});
