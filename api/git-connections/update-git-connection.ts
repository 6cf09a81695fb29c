import { operation } from '../engine/operation.ts';
import { changeProjects, projectsBody } from '../source-credentials/projects-field.ts';
import { gitConnectionAnswer, gitConnectionPath, gitConnectionSchema, theGitConnection } from './git-connection.ts';

export const updateGitConnection = operation({
  method: 'PATCH',
  url: '/api/v1/git-connections/{id}',
  summary: 'Change which projects may use a Git connection',
  description:
    'Omitted fields keep their values. `projectIds` limits it to these, `allProjects` opens it to all. Refused while a service of a project that would lose it is built from a repository of it, as applied or staged.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'changed-meanwhile'],
  path: gitConnectionPath,
  body: projectsBody,
  result: gitConnectionSchema,
  async handle({ caller, path, body, effect, server }) {
    const { id, organizationId } = await caller.see(theGitConnection, path.id, effect.kysely);
    await changeProjects(effect, caller, { kind: 'git_connection', organizationId, id }, body);
    const after = await caller.see(theGitConnection, id, effect.kysely);
    return gitConnectionAnswer(caller, after, server.settings.PUBLIC_URL);
  },
});
