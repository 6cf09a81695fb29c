import { discardDraft as discard, notADraft } from '../../db/change-sets/draft/unstage.ts';
import { operation } from '../engine/operation.ts';
import { idPath, theChangeSet } from './draft.ts';

export const discardDraft = operation({
  method: 'DELETE',
  url: '/api/v1/change-sets/{id}',
  summary: 'Discard all staged changes of an environment',
  description:
    'Services that were staged to be added and that no environment ever had are deleted with their processes.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: idPath,
  async handle({ caller, path, effect }) {
    const changeSet = await caller.see(theChangeSet, path.id, effect.kysely);
    if (changeSet.state !== 'draft') throw notADraft();
    await discard(effect, changeSet, path.id);
  },
});
