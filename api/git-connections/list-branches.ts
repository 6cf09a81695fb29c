import { z } from 'zod';
import { repositoryFault } from '../../domain/git/address.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { gitConnectionPath, hostOf, theGitConnection, toldBy } from './git-connection.ts';

export const gitBranchesSchema = z
  .object({
    branches: z.array(z.string()),
    defaultBranch: z.string().describe('Empty if the host does not say it.'),
  })
  .meta({ id: 'GitBranches' });

export const listBranches = operation({
  method: 'GET',
  url: '/api/v1/git-connections/{id}/branches',
  summary: 'List the branches of a repository',
  description: 'As the host tells them now, by git itself.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: gitConnectionPath,
  query: z.strictObject({ repository: z.string().max(500).describe('Its full name, `team/app`.') }),
  result: gitBranchesSchema,
  async handle({ caller, path, query: { repository }, database, server }) {
    const connection = await caller.see(theGitConnection, path.id);
    const fault = repositoryFault(repository);
    if (fault !== undefined) throw invalidFields([{ location: 'query.repository', message: fault, value: repository }]);
    const host = await hostOf(connection, { caller, database, server });
    const found = await toldBy(() => host.branches(repository));
    if ('told' in found) return found.told;
    throw invalidFields([
      { location: 'query.repository', message: `cannot be read: ${found.error}`, value: repository },
    ]);
  },
});
