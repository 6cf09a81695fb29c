import { sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import type { BuildState } from '../../domain/builds/states.ts';
import { type OpenBuild, turnsOf, waitsFor } from '../../domain/builds/states.ts';
import { absentConfig } from '../../domain/repository-config/told-config.ts';
import { createCommand } from '../commands/cluster-commands.ts';
import { agentOf } from '../deployments/rolling.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import { tenant } from '../postgres/tenant.ts';
import { pathOf } from '../registry/own-image.ts';
import { type BuildSecrets, variablesOfBuild } from './build-variables.ts';
import { settingsAt, sourceForAgent } from './commits.ts';
import { awaitsApproval, isAwaiting, seenBy } from './variables/awaiting-approval.ts';

/** A build as its actor's activities need it. */
export interface BuildRow {
  id: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  clusterId: string;
  number: number;
  state: BuildState;
  revision: number;
  message: string | null;
  finished: boolean;
}

/** The row, locked, so that an activity that runs twice at once does everything once. */
export async function lockBuild({ kysely }: Effect, id: string): Promise<BuildRow | undefined> {
  const row = await kysely
    .selectFrom('build')
    .select(['id', 'organization_id as organizationId', 'project_id as projectId', 'environment_id as environmentId'])
    .select(['service_id as serviceId', 'cluster_id as clusterId', 'number', 'state', 'revision', 'message'])
    .select(sql<boolean>`finished_at is not null`.as('finished'))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row;
}

/** Turns of a cluster are given one after the other, before any row is locked. */
export async function lockTurns({ kysely }: Effect, buildId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('builds ' || cluster_id, 0)) from build where id = ${buildId}`.execute(
    kysely,
  );
}

export async function openBuilds({ kysely }: Effect, clusterId: string): Promise<OpenBuild[]> {
  const rows = await kysely
    .selectFrom('build')
    .select(['id', 'project_id as projectId', 'environment_id as environmentId', 'service_id as serviceId'])
    .select(['state', 'created_at as createdAt'])
    .where('cluster_id', '=', clusterId)
    .where('finished_at', 'is', null)
    .where('cancel_requested_at', 'is', null)
    .where(({ not }) => not(awaitsApproval))
    // Nobody has approved what it is for.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('change_set')
            .select('change_set.id')
            .whereRef('change_set.id', '=', 'build.change_set_id')
            .where('change_set.state', '=', 'held'),
        ),
      ),
    )
    .execute();
  return rows.map(({ state, createdAt, ...row }) => ({
    ...row,
    running: state === 'running',
    createdAt: createdAt.getTime(),
  }));
}

/** Why it is not its turn: a sentence; undefined: it is. */
export async function refusedTurn(effect: Effect, build: BuildRow): Promise<string | undefined> {
  const cluster = await effect.kysely
    .selectFrom('cluster')
    .leftJoin('cluster_agent as agent', 'agent.cluster_id', 'cluster.id')
    .select(['cluster.name', 'agent.contact'])
    .where('cluster.id', '=', build.clusterId)
    .where('cluster.organization_id', '=', build.organizationId)
    .executeTakeFirst();
  if (cluster?.contact !== 'connected')
    return `Waits for the agent of the cluster "${cluster?.name ?? ''}", which is not in contact.`;
  const open = await openBuilds(effect, build.clusterId);
  if (!open.some(({ id }) => id === build.id)) {
    if (!(await isAwaiting(effect, build))) return 'Waits for the approval of its change set.';
    const names = await seenBy(effect, build);
    const named = `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
    return `Waits for the approval of an admin: production gives ${named} to builds, and this source is not the head of the connected branch.`;
  }
  return turnsOf(open).includes(build.id) ? undefined : waitsFor(open, build.id);
}

/** Tells the builds whose turn it is now. */
export async function callNext(effect: Effect, clusterId: string): Promise<void> {
  const open = await openBuilds(effect, clusterId);
  const { rows } = await sql<{ id: string; organizationId: string }>`
    select id, organization_id as "organizationId" from build where id = any(${turnsOf(open)}::uuid[])
  `.execute(effect.kysely);
  for (const { id, organizationId } of rows)
    effect.tell({ to: actorId('build', id), message: 'turn', organizationId, body: {} });
}

const MB = 1024 * 1024;
/** Of agents that have no limits of their own, and the longest that an actor waits. */
const limits = { seconds: 3_600, memoryBytes: 2_048 * MB, diskBytes: 8_192 * MB, processes: 1_000 };

/**
 * The command has the id of the build: asked for twice, there is one. Its body: `buildBody` of protocol/build.ts. Answers why the
 * agent cannot be asked.
 */
export async function askAgent(effect: Effect, keyring: BuildSecrets, build: BuildRow): Promise<string | undefined> {
  const found = await sourceForAgent(effect, keyring, build);
  if ('why' in found) return found.why;
  const { id, organizationId } = build;
  await tellOldAgent(effect, build);
  const { builder, context, dockerfile, target, buildLimits = {} } = (await settingsAt(effect.kysely, build)).source;
  const body = {
    kind: 'build',
    repository: await pathOf(effect.kysely, build),
    organizationId,
    cacheKey: await cacheKeyOf(effect, build),
    ...{ builder, context, dockerfile, target },
    source: found.source,
    ...(await variablesOfBuild(effect, keyring, build)),
    limits: { ...limits, ...buildLimits },
    unset: (['memoryBytes', 'diskBytes', 'seconds'] as const).filter((name) => buildLimits[name] === undefined),
  };
  await createCommand(
    effect,
    keyring,
    { id: build.clusterId, organizationId },
    { id, body, actorId: actorId('build', id) },
  );
  return undefined;
}

/** A source that nobody has approved leaves nothing in the caches of those that production's images are made from. */
async function cacheKeyOf({ kysely }: Effect, { id, organizationId, serviceId, environmentId }: BuildRow) {
  const { shared } = await tenant(kysely, organizationId)
    .selectFrom('build')
    .innerJoin('environment', 'environment.id', 'build.environment_id')
    .select(
      sql<boolean>`not environment.production or build.connected or build.approved_by_id is not null`.as('shared'),
    )
    .where('build.id', '=', id)
    .executeTakeFirstOrThrow();
  return `${serviceId}/${environmentId}${shared ? '' : '/unapproved'}`;
}

/** From this minor of the protocol on an agent reads the configuration file of a source. */
const repositoryConfigMinor = 7;

async function tellOldAgent(effect: Effect, { id, clusterId }: BuildRow): Promise<void> {
  const agent = await agentOf(effect, clusterId);
  if (agent === undefined || agent.minor >= repositoryConfigMinor) return;
  const told = absentConfig(
    `The agent of the cluster is too old to read a configuration file, so none is used: update it with \`./ballast cluster update --cluster ${agent.clusterSlug}\`, then build again.`,
  );
  const column = sql<JsonObject>`${JSON.stringify(told)}::jsonb`;
  await effect.kysely.updateTable('build').set({ repository_config: column }).where('id', '=', id).execute();
}
