import { sql } from 'kysely';
import { z } from 'zod';
import { recommendedCluster } from '../../db/clusters/recommended-cluster.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createEnvironment, type EnvironmentView } from '../../db/environments/environments.ts';
import { createProject as newProject } from '../../db/projects/projects.ts';
import { firstEnvironments } from '../../domain/environments/environments.ts';
import { operation } from '../engine/operation.ts';
import { chosenCluster } from '../environments/chosen-cluster.ts';
import { environmentAnswer, environmentSchema } from '../environments/environment.ts';
import { projectAnswer, projectDescription, projectName, projectSchema } from './project.ts';
import { ownerOf } from './project-owner.ts';

export const createProject = operation({
  method: 'POST',
  url: '/api/v1/projects',
  summary: 'Create a project with a production and a staging environment',
  description:
    'The slug is derived from the name and never changes. Without `teamId` the caller owns it, or the person who created the token. Without `clusterId` the environments get the recommended cluster, if there is one.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  body: z.strictObject({
    name: projectName,
    description: projectDescription.default(''),
    teamId: z.guid().toLowerCase().optional(),
    clusterId: z.guid().toLowerCase().optional(),
  }),
  status: 201,
  result: z
    .object({
      project: projectSchema,
      environments: z.array(environmentSchema),
      defaultEnvironmentsCreated: z.boolean(),
    })
    .meta({ id: 'ProjectCreated' }),
  async handle({ caller, body, effect, server }) {
    const organizationId = caller.organization.id;
    await refuseBeyond(effect, {
      setting: 'PROJECTS_PER_ORGANIZATION',
      most: server.settings.PROJECTS_PER_ORGANIZATION,
      owner: organizationId,
      things: 'projects in this organization',
      rows: sql`project where organization_id = ${organizationId} and deletion_id is null`,
      remedy: 'delete one that is not needed',
    });
    const { name, description, clusterId } = body;
    const cluster =
      clusterId === undefined
        ? await recommendedCluster(effect.kysely, organizationId)
        : await chosenCluster(caller, clusterId, effect.kysely);
    const owner = await ownerOf(effect, caller, body);
    const project = await newProject(effect, { organizationId, name, description, owner });
    const environments: EnvironmentView[] = [];
    for (const first of firstEnvironments) {
      environments.push(await createEnvironment(effect, project, { ...first, clusterId: cluster?.id }));
    }
    return {
      project: projectAnswer(project),
      environments: environments.map(environmentAnswer),
      defaultEnvironmentsCreated: true,
    };
  },
});
