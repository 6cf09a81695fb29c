import { z } from 'zod';
import { recommendedCluster } from '../../db/clusters/recommended-cluster.ts';
import { createEnvironment as newEnvironment } from '../../db/environments/environments.ts';
import { operation } from '../engine/operation.ts';
import { projectPath, theProject } from '../projects/project.ts';
import { chosenCluster } from './chosen-cluster.ts';
import { environmentAnswer, environmentFields, environmentSchema } from './environment.ts';
import { refuseMoreEnvironments } from './quota.ts';

const { name, clusterId, gitBranch, autoDeploy, production } = environmentFields;

export const createEnvironment = operation({
  method: 'POST',
  url: '/api/v1/projects/{id}/environments',
  summary: 'Create an environment in a project',
  description:
    'The slug is derived from the name and never changes. Without `clusterId` it gets the recommended cluster, if there is one.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: projectPath,
  body: z.strictObject({
    name,
    production,
    clusterId: clusterId.optional(),
    gitBranch: gitBranch.optional(),
    autoDeploy: autoDeploy.optional(),
  }),
  status: 201,
  result: environmentSchema,
  async handle({ caller, path, body, effect, server }) {
    const project = await caller.see(theProject, path.id, effect.kysely);
    const { organizationId } = project;
    await refuseMoreEnvironments(effect, server.settings, project);
    const cluster =
      body.clusterId === undefined
        ? await recommendedCluster(effect.kysely, organizationId)
        : await chosenCluster(caller, body.clusterId, effect.kysely);
    return environmentAnswer(await newEnvironment(effect, project, { ...body, clusterId: cluster?.id }));
  },
});
