import { listChangeSets as list } from '../../db/change-sets/change-sets.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';
import { changeSetAnswer, changeSetSchema } from './change-set.ts';

export const listChangeSets = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/change-sets',
  summary: 'List the change sets of an environment that were applied, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  paged: { after: createdPosition },
  result: changeSetSchema,
  async handle({ caller, path, page, database }) {
    const environment = await caller.see(theEnvironment, path.id);
    const found = await list(database.kysely, environment, oneMore(page));
    return pageOf(found, page, ({ id }) => id, changeSetAnswer);
  },
});
