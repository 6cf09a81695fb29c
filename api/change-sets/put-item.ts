import { stage } from '../../db/change-sets/stage.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';
import { changeSetViewAnswer, changeSetViewSchema } from './change-set.ts';
import { draftOf, placeOf } from './draft.ts';
import { itemBody } from './item-bodies.ts';
import { stagedItems } from './staged-items.ts';

export const putItem = operation({
  method: 'PUT',
  url: '/api/v1/environments/{id}/change-set/items',
  summary: 'Stage a change in an environment',
  description:
    'Replaces an earlier change of the same variable, setting, process or service. A change to what is applied already takes the earlier one back.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'capability-missing', 'changed-meanwhile'],
  path: environmentPath,
  body: itemBody,
  result: changeSetViewSchema,
  async handle({ caller, path, body, effect, server }) {
    const environment = await caller.see(theEnvironment, path.id, effect.kysely);
    const items = await stagedItems(effect, caller, server.settings, environment, [{ item: body, at: 'body' }]);
    const { staged } = await stage(effect, server.keyring, placeOf(environment), items, caller.countsAs);
    return changeSetViewAnswer(await draftOf(effect.kysely, environment, staged));
  },
});
