import { listConnections } from '../../db/git-connections/connections.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { usedForOf } from '../source-credentials/projects-field.ts';
import { gitConnectionAnswer, gitConnectionSchema } from './git-connection.ts';

export const listGitConnections = operation({
  method: 'GET',
  url: '/api/v1/git-connections',
  summary: 'List the Git connections, oldest first',
  description: 'A token that is limited to projects sees those that one of these may use.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  paged: { after: createdPosition },
  result: gitConnectionSchema,
  async handle({ caller, page, database, server }) {
    const found = await listConnections(database.kysely, caller.organization.id, usedForOf(caller), oneMore(page));
    return pageOf(
      found,
      page,
      ({ id }) => id,
      (connection) => gitConnectionAnswer(caller, connection, server.settings.PUBLIC_URL),
    );
  },
});
