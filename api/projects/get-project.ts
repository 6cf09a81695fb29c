import { operation } from '../engine/operation.ts';
import { projectAnswer, projectPath, projectSchema, theProject } from './project.ts';

export const getProject = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}',
  summary: 'Get a project',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: projectPath,
  result: projectSchema,
  async handle({ caller, path }) {
    return projectAnswer(await caller.see(theProject, path.id));
  },
});
