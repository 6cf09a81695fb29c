import { z } from 'zod';
import { deleteEnvironment as remove } from '../../db/environments/removal/delete-environment.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from './environment.ts';

/** For the deletion of whatever has deployments. */
export const waitQuery = z.strictObject({
  wait: z
    .boolean()
    .optional()
    .describe(
      'Rollouts that have begun may end by themselves before the instances end. By default they are asked to cancel. Those that have not begun are cancelled either way.',
    ),
});

export const deleteEnvironment = operation({
  method: 'DELETE',
  url: '/api/v1/environments/{id}',
  summary: 'Delete an environment',
  description:
    'Its services stop at once, its staged changes are discarded, and requests of a decision are closed. It can be restored until the retention of the organization has passed (`GET /api/v1/deleted`); then its data are purged. The last environment of a project may be deleted, too.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  rate: 'deletions',
  problems: ['not-found'],
  path: environmentPath,
  query: waitQuery,
  async handle({ caller, path, query, effect }) {
    const environment = await caller.see(theEnvironment, path.id, effect.kysely);
    const deleted = await remove(effect, environment, { wait: query.wait ?? false });
    // Deleted by somebody else while this waited: then it is not found.
    if (!deleted) await caller.see(theEnvironment, path.id, effect.kysely);
  },
});
