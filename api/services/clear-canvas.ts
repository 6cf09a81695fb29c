import { clearCanvas as clear } from '../../db/services/canvas.ts';
import { operation } from '../engine/operation.ts';
import { projectPath, theProject } from '../projects/project.ts';

export const clearCanvas = operation({
  method: 'DELETE',
  url: '/api/v1/projects/{id}/canvas',
  summary: 'Forget where the services of a project were placed',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: projectPath,
  async handle({ caller, path, effect }) {
    await clear(effect, await caller.see(theProject, path.id, effect.kysely));
  },
});
