import { deleteConnection } from '../../db/git-connections/connections.ts';
import { operation } from '../engine/operation.ts';
import { gitConnectionPath, theGitConnection } from './git-connection.ts';

export const deleteGitConnection = operation({
  method: 'DELETE',
  url: '/api/v1/git-connections/{id}',
  summary: 'Delete a Git connection',
  description:
    'Refused while a service is built from a repository of it, as applied or staged. Its token is erased here, not at the host.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict'],
  path: gitConnectionPath,
  async handle({ caller, path, effect }) {
    const connection = await caller.see(theGitConnection, path.id, effect.kysely);
    await deleteConnection(effect, caller.organization.id, connection);
  },
});
