import { listConnections } from '../../db/git-connections/connections.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { gitConnectionAnswer, gitConnectionSchema } from './git-connection.ts';

export const listGitConnections = operation({
  method: 'GET',
  url: '/api/v1/git-connections',
  summary: 'List the Git connections, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: [],
  paged: { after: createdPosition },
  result: gitConnectionSchema,
  async handle({ caller, page, database, server }) {
    const found = await listConnections(database.kysely, caller.organization.id, oneMore(page));
    return pageOf(
      found,
      page,
      ({ id }) => id,
      (connection) => gitConnectionAnswer(connection, server.settings.PUBLIC_URL),
    );
  },
});
