import { sql } from 'kysely';
import { z } from 'zod';
import { type RecommendedCluster, recommendedCluster } from '../../db/clusters/recommended-cluster.ts';
import { admit } from '../../db/deployments/admission.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createEnvironment, type EnvironmentView } from '../../db/environments/environments.ts';
import {
  changeProject as change,
  lockProject,
  createProject as newProject,
  type ProjectFields,
  listProjects as projectsOf,
} from '../../db/projects/projects.ts';
import { projectImpact, deleteProject as remove } from '../../db/projects/removal.ts';
import { sizeOfBackups } from '../../db/volume-backups/volume-backups.ts';
import { firstEnvironments } from '../../domain/environments/environments.ts';
import { Problem } from '../../domain/problems.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { invalidField } from '../engine/input/input.ts';
import { soughtText } from '../engine/input/line.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { chosenCluster, environmentAnswer, environmentSchema } from '../environments/environment.ts';
import { sizes, waitQuery } from '../environments/operations.ts';
import { listProjectImages } from './images.ts';
import { ownerOf, projectAnswer, projectDescription, projectName, projectSchema, theProject } from './project.ts';

const changeProject = operation({
  method: 'PATCH',
  url: '/api/v1/projects/{id}',
  summary: 'Update a project',
  description: 'Omitted fields keep their values; the slug never changes. A member owns it, or a team: not both.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['changed-meanwhile'],
  of: theProject,
  body: withWas(
    z.strictObject({
      name: projectName.optional(),
      description: projectDescription.optional(),
      deployConcurrency: z.int().min(1).max(100).optional(),
      ownerId: z.guid().toLowerCase().optional(),
      teamId: z.guid().toLowerCase().optional(),
    }),
  ),
  result: projectSchema,
  async handle({ found: project, caller, path, body, effect }) {
    const before = await lockProject(effect, project);
    if (before === undefined) return projectAnswer(await caller.see(theProject, path.id, effect.kysely));
    const { was, ...wanted } = body;
    if (wanted.ownerId !== undefined && wanted.teamId !== undefined) {
      throw invalidField('body.teamId', 'cannot own it besides a member; leave one out');
    }
    const subject = { organizationId: project.organizationId, kind: 'project', id: project.id };
    await refuseChangedMeanwhile<Record<string, unknown>>(effect.kysely, subject, { is: { ...before }, was, wanted });
    const { name, description, deployConcurrency, ownerId, teamId } = wanted;
    const owner = ownerId === undefined && teamId === undefined ? before : await ownerOf(effect, caller, wanted);
    const after: ProjectFields = {
      name: name ?? before.name,
      description: description ?? before.description,
      deployConcurrency: deployConcurrency ?? before.deployConcurrency,
      ownerId: owner.ownerId ?? null,
      teamId: owner.teamId ?? null,
    };
    const details = changedFields(before, after);
    if (Object.keys(details).length === 0) return projectAnswer(project);
    const changed = await change(effect, project, after, details);
    if (after.deployConcurrency !== before.deployConcurrency) {
      // Deployments that wait for a slot may have one now.
      await admit(effect, { organizationId: project.organizationId, projectId: project.id }, { event: 'review' });
    }
    return projectAnswer(changed);
  },
});

const createProject = operation({
  method: 'POST',
  url: '/api/v1/projects',
  summary: 'Create a project with a production and a staging environment',
  description:
    'The slug is derived from the name and never changes. Without `teamId` the caller owns it, or the person who created the token. Without `clusterId` the environments get the recommended cluster, if there is one.',
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

const deleteProject = operation({
  method: 'DELETE',
  url: '/api/v1/projects/{id}',
  summary: 'Delete a project with its environments and services',
  description:
    'Everything in it stops at once, staged changes are discarded, and requests of a decision are closed. It can be restored, with all of that, until the retention of the organization has passed (`GET /api/v1/deleted`); then its data are purged. What was deleted in it before stays deleted when it is restored.',
  role: 'admin',
  projectTokens: 'allowed',
  rate: 'deletions',
  of: theProject,
  query: waitQuery,
  async handle({ found: project, caller, path, query, effect }) {
    const deleted = await remove(effect, project, { wait: query.wait ?? false });
    // Deleted by somebody else while this waited: then it is not found.
    if (!deleted) await caller.see(theProject, path.id, effect.kysely);
  },
});

export const projectDeletionImpactSchema = z
  .object({
    project: z.object({ id: z.guid(), name: z.string(), slug: z.string() }),
    environments: z.array(z.object({ id: z.guid(), name: z.string(), production: z.boolean(), slug: z.string() })),
    services: z.int(),
    databases: z.int(),
    volumes: sizes.describe('In all of its environments.'),
    domains: z.int(),
    backups: sizes.describe('Of its volumes. They stay in their stores.'),
    archives: z.int(),
    inFlightDeployments: z.int().describe('They are cancelled, or with `wait` end by themselves if they have begun.'),
    pendingApprovals: z.int().describe('They are closed.'),
    stagedChanges: z.int().describe('How many are discarded.'),
  })
  .meta({ id: 'ProjectDeletionImpact' });

const projectDeletionImpact = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/deletion-impact',
  summary: 'Tell what the deletion of a project would end',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theProject,
  result: projectDeletionImpactSchema,
  async handle({ found: project, database: { kysely } }) {
    // Subjects that no version has yet.
    const nothing = { domains: 0, archives: 0 };
    const backups = await sizeOfBackups(kysely, project.organizationId, { projectIds: [project.id] });
    return { project, ...(await projectImpact(kysely, project)), backups, ...nothing };
  },
});

const getClusterRecommendation = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/cluster-recommendation',
  summary: 'Recommend a cluster for an environment of a project',
  description:
    "The organization's default cluster if it is in contact and accepts workloads, else the one in contact with the fewest workloads.",
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['cluster-not-ready'],
  of: theProject,
  result: z
    .object({ clusterId: z.guid(), clusterName: z.string(), clusterSlug: z.string(), reason: z.string() })
    .meta({ id: 'ClusterRecommendation' }),
  async handle({ caller, database }) {
    const cluster = await recommendedCluster(database.kysely, caller.organization.id);
    if (cluster !== undefined) {
      return { clusterId: cluster.id, clusterName: cluster.name, clusterSlug: cluster.slug, reason: reasonOf(cluster) };
    }
    throw new Problem(
      'cluster-not-ready',
      'No cluster is in contact and accepts workloads: add a cluster, start the agent of one, or make one schedulable.',
    );
  },
});

function reasonOf({ name, isDefault, workloads, candidates, passedOver }: RecommendedCluster): string {
  if (isDefault) return `${name} is the default cluster of the organization.`;
  const count = workloads === 1 ? '1 workload' : `${workloads} workloads`;
  const chosen =
    candidates === 1
      ? `${name} is the only cluster that is in contact and accepts workloads.`
      : `${name} has the fewest workloads (${count}) of the ${candidates} clusters that are in contact and accept workloads.`;
  return passedOver === null
    ? chosen
    : `${chosen} The default cluster, ${passedOver}, is out of contact or accepts none.`;
}

const getProject = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}',
  summary: 'Get a project',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theProject,
  result: projectSchema,
  handle: async ({ found }) => projectAnswer(found),
});

export const listProjects = operation({
  method: 'GET',
  url: '/api/v1/projects',
  summary: 'List projects, oldest first',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({ q: soughtText('its name or description') }),
  paged: { after: createdPosition },
  result: projectSchema,
  async handle({ caller, database, query, page }) {
    const projects = await projectsOf(database.kysely, caller.organization.id, {
      ...oneMore(page),
      q: query.q,
      within: caller.projectIds,
    });
    return pageOf(projects, page, projectAnswer);
  },
});

export const projects = {
  list: listProjects,
  create: createProject,
  get: getProject,
  change: changeProject,
  delete: deleteProject,
  deletionImpact: projectDeletionImpact,
  clusterRecommendation: getClusterRecommendation,
  images: listProjectImages,
};
