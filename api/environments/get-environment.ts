import { operation } from '../engine/operation.ts';
import { environmentAnswer, environmentPath, environmentSchema, theEnvironment } from './environment.ts';

export const getEnvironment = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}',
  summary: 'Get an environment',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  result: environmentSchema,
  async handle({ caller, path }) {
    return environmentAnswer(await caller.see(theEnvironment, path.id));
  },
});
