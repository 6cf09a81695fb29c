import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { type EnvironmentView, findEnvironment } from '../../db/environments/environments.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import type { ProjectView } from '../../db/projects/projects.ts';
import { environmentKinds } from '../../domain/environments/environments.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { theCluster } from '../clusters/cluster.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField } from '../engine/input/input.ts';
import { line, nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';

export const theEnvironment = resource('environment', findEnvironment, ({ projectId }) => projectId);

export const environmentSchema = z
  .object({
    id: z.guid(),
    projectId: z.guid(),
    name: z.string(),
    slug: z.string().describe('Part of addresses; it never changes.'),
    namespace: z.string().describe('The name of its space on a cluster.'),
    clusterId: z.guid().optional().describe('Where its services run; absent until one is chosen.'),
    gitBranch: z.string(),
    kind: z.enum(environmentKinds),
    autoDeploy: z.boolean().describe('Whether builds of its branch are deployed.'),
    production: z.boolean().describe('Whether changes wait for an approval.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Environment' });

export const environmentFields = {
  name: nameText(),
  clusterId: z.guid().toLowerCase(),
  gitBranch: line(255),
  autoDeploy: z.boolean(),
  production: z.boolean(),
};

export function environmentAnswer(environment: EnvironmentView): AnswerOf<typeof environmentSchema> {
  return { ...environment, gitBranch: environment.gitBranch ?? '' };
}

/** The cluster that a request chooses for an environment: one that stays. */
export async function chosenCluster(caller: OrganizationCaller, clusterId: string, kysely: Kysely<Tables>) {
  const cluster = await caller.see(theCluster, clusterId, kysely);
  if (cluster.state !== 'deleting') return cluster;
  throw invalidField('body.clusterId', `"${cluster.name}" is being deleted; choose another cluster`, clusterId);
}

/** Refuses another environment where the project has as many as the installation allows. */
export async function refuseMoreEnvironments(
  effect: Effect,
  { ENVIRONMENTS_PER_PROJECT: most }: Pick<Settings, 'ENVIRONMENTS_PER_PROJECT'>,
  { id, organizationId }: Pick<ProjectView, 'id' | 'organizationId'>,
): Promise<void> {
  await refuseBeyond(effect, {
    setting: 'ENVIRONMENTS_PER_PROJECT',
    most,
    owner: id,
    things: 'environments in this project',
    rows: sql`environment where organization_id = ${organizationId} and project_id = ${id} and deletion_id is null`,
  });
}
