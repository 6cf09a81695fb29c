import { z } from 'zod';
import { deleteService as remove } from '../../db/services/removal/delete-service.ts';
import { Problem } from '../../domain/problems.ts';
import { mayActAs } from '../../domain/roles.ts';
import { operation } from '../engine/operation.ts';
import { roleToDelete } from './role-to-delete.ts';
import { servicePath, theService } from './service.ts';

export const deleteService = operation({
  method: 'DELETE',
  url: '/api/v1/services/{id}',
  summary: 'Delete a service in all environments at once',
  description:
    'It is not found any more, and its slug is free. Staged changes of it are dropped, approvals of it alone are closed, deployments are cancelled, and its instances end. Refused while other services depend on it or values refer to it, naming both ends, or while it waits for an approval together with others. A service that production has is deleted by an admin.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'role-too-low'],
  path: servicePath,
  query: z.strictObject({
    wait: z
      .boolean()
      .optional()
      .describe(
        'Rollouts that have begun may end by themselves before the instances end. By default they are asked to cancel. Those that have not begun are cancelled either way.',
      ),
  }),
  async handle({ caller, path, query, effect }) {
    const service = await caller.see(theService, path.id, effect.kysely);
    const deleted = await remove(effect, service, {
      wait: query.wait ?? false,
      check: (impact) => {
        if (mayActAs(caller.role, roleToDelete(impact))) return;
        throw new Problem('role-too-low', `"${service.name}" runs in production: only admins delete it.`);
      },
    });
    // Deleted by somebody else while this waited: then it is not found.
    if (!deleted) await caller.see(theService, path.id, effect.kysely);
  },
});
