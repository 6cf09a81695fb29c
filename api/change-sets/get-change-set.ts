import { viewOf } from '../../db/change-sets/view.ts';
import { operation } from '../engine/operation.ts';
import { changeSetViewAnswer, changeSetViewSchema } from './change-set.ts';
import { idPath, theChangeSet } from './draft.ts';

export const getChangeSet = operation({
  method: 'GET',
  url: '/api/v1/change-sets/{id}',
  summary: 'Get a change set with its changes',
  description: 'Of a draft, too: applying it keeps its id.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: idPath,
  result: changeSetViewSchema,
  async handle({ caller, path, database }) {
    const changeSet = await caller.see(theChangeSet, path.id);
    return changeSetViewAnswer(await viewOf(database.kysely, changeSet, changeSet));
  },
});
