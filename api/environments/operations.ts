import { z } from 'zod';
import { recommendedCluster } from '../../db/clusters/recommended-cluster.ts';
import { environmentCommand } from '../../db/commands/environment-command.ts';
import {
  changeEnvironment as change,
  type EnvironmentFields,
  listEnvironments as environmentsOf,
  lockEnvironment,
  createEnvironment as newEnvironment,
} from '../../db/environments/environments.ts';
import { inhabitantsOf } from '../../db/environments/inhabitants.ts';
import { environmentImpact, deleteEnvironment as remove } from '../../db/environments/removal.ts';
import { leaveVolumes, purgedThere, reviveLeft } from '../../db/services/removal/left-volumes.ts';
import { sizeOfBackups } from '../../db/volume-backups/volume-backups.ts';
import { defined } from '../../domain/defined.ts';
import { Problem } from '../../domain/problems.ts';
import { commandSchema, presentCommand } from '../commands/command.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { soughtText } from '../engine/input/line.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { theProject } from '../projects/project.ts';
import { cloneEnvironment, compareEnvironments } from './copies.ts';
import {
  chosenCluster,
  environmentAnswer,
  environmentFields,
  environmentSchema,
  refuseMoreEnvironments,
  theEnvironment,
} from './environment.ts';
import { getOverview } from './overview.ts';

const { name, clusterId, gitBranch, autoDeploy, production } = environmentFields;

const changeEnvironment = operation({
  method: 'PATCH',
  url: '/api/v1/environments/{id}',
  summary: 'Update an environment',
  description:
    'Omitted fields keep their values; the slug never changes. It takes a session to switch `production` off. It moves to another cluster only while none of its services runs. Data of volumes stay where they are: `GET /api/v1/deleted` lists them, and they are deleted with the retention unless it moves back before.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['conflict', 'changed-meanwhile', 'session-required'],
  of: theEnvironment,
  body: withWas(
    z.strictObject({
      name: name.optional(),
      clusterId: clusterId.optional(),
      gitBranch: gitBranch.or(z.literal('')).optional().describe('Empty: none.'),
      autoDeploy: autoDeploy.optional(),
      production: production.optional(),
    }),
  ),
  result: environmentSchema,
  async handle({ found: environment, caller, path, body, effect }) {
    const before = await lockEnvironment(effect, environment);
    if (before === undefined) return environmentAnswer(await caller.see(theEnvironment, path.id, effect.kysely));
    const { was, ...wanted } = body;
    const place = { organizationId: environment.organizationId, environmentId: environment.id };
    const subject = { organizationId: environment.organizationId, kind: 'environment', id: environment.id };
    const is = { ...before, gitBranch: before.gitBranch ?? '' };
    await refuseChangedMeanwhile<Record<string, unknown>>(effect.kysely, subject, { is, was, wanted });
    if (before.production && wanted.production === false && caller.credential.kind !== 'session') {
      throw new Problem(
        'session-required',
        `Changes of "${before.name}" would wait for no approval any more: that takes an admin's session, not a token.`,
      );
    }
    const gitBranch = (wanted.gitBranch ?? before.gitBranch) || null;
    const after: EnvironmentFields = { ...before, ...defined(wanted), gitBranch };
    if (after.clusterId !== null && after.clusterId !== before.clusterId) await refuseMove(after.clusterId);
    const details = changedFields(before, after);
    if (Object.keys(details).length === 0) return environmentAnswer(environment);
    const moves = after.clusterId !== before.clusterId;
    if (moves) await leaveVolumes(effect, place, { moving: true });
    const changed = await change(effect, environment, { before, after }, details);
    if (moves) await reviveLeft(effect, environment);
    return environmentAnswer(changed);

    async function refuseMove(to: string): Promise<void> {
      const cluster = await chosenCluster(caller, to, effect.kysely);
      const names = await inhabitantsOf(effect, environment);
      if (names.length === 0) return await refuseWhilePurged(cluster);
      const named = names.slice(0, 5).map((one) => `"${one}"`);
      const all = [...named, ...(names.length > 5 ? ['others'] : [])].join(', ');
      throw new Problem(
        'conflict',
        `${all} run in "${environment.name}": remove them there before it moves to the cluster "${cluster.name}".`,
      );
    }

    async function refuseWhilePurged({ id, name: cluster }: { id: string; name: string }): Promise<void> {
      const names = await purgedThere(effect, place, id);
      if (names.length === 0) return;
      throw new Problem(
        'conflict',
        `${names.map((one) => `"${one}"`).join(', ')} of "${environment.name}" are being purged on the cluster "${cluster}": move it there when that is done.`,
      );
    }
  },
});

const createEnvironment = operation({
  method: 'POST',
  url: '/api/v1/projects/{id}/environments',
  summary: 'Create an environment in a project',
  description:
    'The slug is derived from the name and never changes. Without `clusterId` it gets the recommended cluster, if there is one.',
  role: 'admin',
  projectTokens: 'allowed',
  of: theProject,
  body: z.strictObject({
    name,
    production,
    clusterId: clusterId.optional(),
    gitBranch: gitBranch.optional(),
    autoDeploy: autoDeploy.optional(),
  }),
  status: 201,
  result: environmentSchema,
  async handle({ found: project, caller, body, effect, server }) {
    const { organizationId } = project;
    await refuseMoreEnvironments(effect, server.settings, project);
    const cluster =
      body.clusterId === undefined
        ? await recommendedCluster(effect.kysely, organizationId)
        : await chosenCluster(caller, body.clusterId, effect.kysely);
    return environmentAnswer(await newEnvironment(effect, project, { ...body, clusterId: cluster?.id }));
  },
});

/** For the deletion of whatever has deployments. */
export const waitQuery = z.strictObject({
  wait: z
    .boolean()
    .optional()
    .describe(
      'Rollouts that have begun may end by themselves before the instances end. By default they are asked to cancel. Those that have not begun are cancelled either way.',
    ),
});

const deleteEnvironment = operation({
  method: 'DELETE',
  url: '/api/v1/environments/{id}',
  summary: 'Delete an environment',
  description:
    'Its services stop at once, its staged changes are discarded, and requests of a decision are closed. It can be restored until the retention of the organization has passed (`GET /api/v1/deleted`); then its data are purged. The last environment of a project may be deleted, too.',
  role: 'admin',
  projectTokens: 'allowed',
  rate: 'deletions',
  of: theEnvironment,
  query: waitQuery,
  async handle({ found: environment, caller, path, query, effect }) {
    const deleted = await remove(effect, environment, { wait: query.wait ?? false });
    // Deleted by somebody else while this waited: then it is not found.
    if (!deleted) await caller.see(theEnvironment, path.id, effect.kysely);
  },
});

const named = z.object({ id: z.guid(), name: z.string() });
export const sizes = z.object({ count: z.int(), sizeBytes: z.int() });

export const environmentDeletionImpactSchema = z
  .object({
    environment: z.object({ id: z.guid(), name: z.string(), production: z.boolean(), slug: z.string() }),
    namespace: z.string(),
    cluster: z
      .object({ id: z.guid(), name: z.string(), removesNamespace: z.boolean() })
      .optional()
      .describe('Where its services run; absent if it has none. Its space there is its own, and goes with it.'),
    services: z.array(named).describe('They stop at once.'),
    databases: z.array(z.object({ id: z.guid(), name: z.string(), engine: z.string() })),
    stagedServices: z.array(named).describe('Added by its draft alone: they are discarded, and cannot be restored.'),
    stagedChanges: z.int().describe('How many are discarded.'),
    variables: z.int(),
    volumes: sizes,
    domains: z.array(z.object({ exposure: z.string(), hostname: z.string() })),
    backups: sizes.describe('Of its volumes. They stay in their stores.'),
    archives: z.int(),
    inFlightDeployments: z.int().describe('They are cancelled, or with `wait` end by themselves if they have begun.'),
    pendingApprovals: z.int().describe('They are closed.'),
    lastEnvironment: z.boolean().describe('The project has no other one.'),
    previewBase: z.boolean(),
    previews: z.int(),
  })
  .meta({ id: 'EnvironmentDeletionImpact' });

/** Subjects that no version has yet. */
const nothing = { domains: [], archives: 0, previewBase: false, previews: 0 };

const environmentDeletionImpact = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/deletion-impact',
  summary: 'Tell what the deletion of an environment would end',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  result: environmentDeletionImpactSchema,
  async handle({ found: environment, database: { kysely } }) {
    const { cluster, ...impact } = await environmentImpact(kysely, environment);
    const { id: environmentId, organizationId } = environment;
    return {
      environment,
      namespace: environment.namespace,
      cluster: cluster && { ...cluster, removesNamespace: true },
      ...impact,
      backups: await sizeOfBackups(kysely, organizationId, { environmentId }),
      ...nothing,
    };
  },
});

const getEnvironmentCommand = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/commands/{commandId}',
  summary: 'Get a command about a service of an environment, such as a restart',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  path: z.strictObject({ id: z.guid().toLowerCase(), commandId: z.guid().toLowerCase() }),
  result: commandSchema,
  async handle({ found: environment, path, server }) {
    const command = await environmentCommand(server, environment, path.commandId);
    if (command !== undefined) return presentCommand(command);
    throw new Problem('not-found', 'There is no such command about this environment.');
  },
});

const getEnvironment = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}',
  summary: 'Get an environment',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  result: environmentSchema,
  async handle({ found }) {
    return environmentAnswer(found);
  },
});

export const listEnvironments = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/environments',
  summary: 'List the environments of a project, oldest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theProject,
  query: z.strictObject({ q: soughtText('its name') }),
  paged: { after: createdPosition },
  result: environmentSchema,
  async handle({ found: project, query, database, page }) {
    const environments = await environmentsOf(database.kysely, project, { ...oneMore(page), q: query.q });
    return pageOf(environments, page, environmentAnswer);
  },
});

export const environments = {
  list: listEnvironments,
  create: createEnvironment,
  get: getEnvironment,
  change: changeEnvironment,
  delete: deleteEnvironment,
  deletionImpact: environmentDeletionImpact,
  overview: getOverview,
  command: getEnvironmentCommand,
  compare: compareEnvironments,
  clone: cloneEnvironment,
};
