import { findConnection, noteCheck } from '../../db/git-connections/connections.ts';
import { operation } from '../engine/operation.ts';
import {
  gitConnectionAnswer,
  gitConnectionPath,
  gitConnectionSchema,
  hostOf,
  theGitConnection,
  toldBy,
} from './git-connection.ts';

export const checkGitConnection = operation({
  method: 'POST',
  url: '/api/v1/git-connections/{id}/check',
  summary: 'Check a Git connection',
  description: 'Asks the host whether it still accepts the token, and what the token lacks. `lastError` says why not.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: gitConnectionPath,
  ownEffect: true,
  result: gitConnectionSchema,
  async handle({ caller, path, database, server, once }) {
    const connection = await caller.see(theGitConnection, path.id);
    const host = await hostOf(connection, { caller, database, server });
    const account = await toldBy(() => host.account());
    const result =
      'error' in account
        ? account
        : { accountLogin: account.told.login, missingPermissions: account.told.missingPermissions };
    return await once(async (effect) => {
      await noteCheck(effect, connection.organizationId, connection, result);
      const after = await findConnection(effect.kysely, connection.organizationId, connection.id);
      return gitConnectionAnswer(caller, after ?? connection, server.settings.PUBLIC_URL);
    });
  },
});
