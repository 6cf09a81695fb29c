import { unstage } from '../../db/change-sets/draft/unstage.ts';
import { operation } from '../engine/operation.ts';
import { idPath, theItem } from './draft.ts';

export const deleteItem = operation({
  method: 'DELETE',
  url: '/api/v1/change-set-items/{id}',
  summary: 'Discard a staged change',
  description:
    'With a service or a process that it would have added go the changes staged of it; a service that no environment ever had is deleted.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: idPath,
  async handle({ caller, path, effect }) {
    await unstage(effect, await caller.see(theItem, path.id, effect.kysely), path.id);
  },
});
