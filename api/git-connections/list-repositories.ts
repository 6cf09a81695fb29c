import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { gitConnectionPath, hostOf, theGitConnection, toldBy } from './git-connection.ts';

export const listRepositories = operation({
  method: 'GET',
  url: '/api/v1/git-connections/{id}/repositories',
  summary: 'List the repositories that a Git connection may read',
  description:
    'At most 200. A plain host has no list: name its repositories. For a token that is limited to projects, of a connection that one of these may use.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: gitConnectionPath,
  query: z.strictObject({
    q: z.string().max(200).default('').describe('A part of the full name; upper and lower case are the same.'),
  }),
  result: z
    .object({
      repositories: z.array(
        z
          .object({ fullName: z.string(), cloneUrl: z.string(), defaultBranch: z.string(), private: z.boolean() })
          .meta({ id: 'GitRepository' }),
      ),
    })
    .meta({ id: 'GitRepositories' }),
  async handle({ caller, path, query, database, server }) {
    const connection = await caller.see(theGitConnection, path.id);
    const host = await hostOf(connection, { caller, database, server });
    const found = await toldBy(() => host.repositories(query.q));
    if ('told' in found) return { repositories: found.told };
    throw new Problem('conflict', `The repositories of "${connection.label}" cannot be listed: ${found.error}`);
  },
});
