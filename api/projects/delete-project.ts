import { deleteProject as remove } from '../../db/projects/removal/delete-project.ts';
import { operation } from '../engine/operation.ts';
import { waitQuery } from '../environments/delete-environment.ts';
import { projectPath, theProject } from './project.ts';

export const deleteProject = operation({
  method: 'DELETE',
  url: '/api/v1/projects/{id}',
  summary: 'Delete a project with its environments and services',
  description:
    'Everything in it stops at once, staged changes are discarded, and requests of a decision are closed. It can be restored, with all of that, until the retention of the organization has passed (`GET /api/v1/deleted`); then its data are purged. What was deleted in it before stays deleted when it is restored.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  rate: 'deletions',
  problems: ['not-found'],
  path: projectPath,
  query: waitQuery,
  async handle({ caller, path, query, effect }) {
    const project = await caller.see(theProject, path.id, effect.kysely);
    const deleted = await remove(effect, project, { wait: query.wait ?? false });
    // Deleted by somebody else while this waited: then it is not found.
    if (!deleted) await caller.see(theProject, path.id, effect.kysely);
  },
});
