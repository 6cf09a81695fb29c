import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';
import { changeSetViewAnswer, changeSetViewSchema } from './change-set.ts';
import { draftOf } from './draft.ts';

export const getDraft = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/change-set',
  summary: 'Get the staged changes of an environment',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  result: changeSetViewSchema,
  async handle({ caller, path, database }) {
    const environment = await caller.see(theEnvironment, path.id);
    return changeSetViewAnswer(await draftOf(database.kysely, environment));
  },
});
