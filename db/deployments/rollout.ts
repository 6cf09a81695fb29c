import { sql } from 'kysely';
import {
  emptyWorkload,
  rolloutKey,
  suspendedWorkload,
  type ToRoll,
  workloadOf,
} from '../../domain/deployments/workload-of.ts';
import { valuesOf } from '../../domain/references/frozen.ts';
import { effectiveContent } from '../../domain/repository-config/overlay.ts';
import type { ReleaseContent, ServiceSettings } from '../../domain/services/settings.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import { awaitedCluster, recommendedCluster } from '../clusters/recommended-cluster.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { lateValues } from '../references/values.ts';
import { registrySignIn } from '../registry-credentials/registry-credentials.ts';
import { openReleaseSecrets } from '../releases/secrets.ts';
import { applySlice } from '../workloads/cluster-slices.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';
import { releaseCommandToRun } from './release-command/to-run.ts';
import { withReplicasOf } from './restore-settings.ts';
import { agentOf, CannotRoll, portsOf, type RollingAgent, refuseOldAgent } from './rolling.ts';

export { rolloutKey };

export interface RolloutParts {
  keyring: Secrets;
  /** Beneath it, each process that serves requests gets a host name. */
  ingressDomain: string;
}

export interface DeploymentRef {
  deploymentId: string;
  organizationId: string;
}

/** A deployment in the desired state of its cluster; whoever put it there writes all of that to its row. */
export interface Rolling {
  clusterId: string;
  revision: number;
  /** The name of its instances. */
  runsAs: string;
}

interface Row {
  cluster_id: string | null;
  project_id: string;
  environment_id: string;
  environment_name: string;
  service_id: string;
  service_slug: string;
  /** How people call it on the cluster. */
  name: string;
  release_id: string;
  content: ReleaseContent;
  /** The settings of today, where they say how many replicas run. */
  today: ServiceSettings | null;
  sealed: Buffer | null;
  content_digest: string;
  runs_as: string;
  deployment_id: string;
}

/** Puts the release of a deployment into the desired state of its cluster, under the deployment's name. */
export async function rollForward(
  effect: Effect,
  parts: RolloutParts,
  { deploymentId, organizationId }: DeploymentRef,
): Promise<Rolling> {
  const row = await rowOf(effect, { deploymentId, organizationId });
  if (row === undefined) throw new CannotRoll('The service or its environment was deleted.');
  const releaseCommand = await releaseCommandToRun(effect, organizationId, row);
  const placed = await put(effect, parts, organizationId, row, (roll, agent) => {
    refuseOldAgent(agent, releaseCommand !== undefined, roll.content.settings.files.length > 0);
    if (releaseCommand === undefined) return workloadOf(roll);
    const meant = agent?.journalId == null ? releaseCommand : { ...releaseCommand, journal: agent.journalId };
    return workloadOf({ ...roll, rollout: { ...roll.rollout, releaseCommand: meant } });
  });
  return { ...placed, runsAs: row.runs_as };
}

/**
 * Puts the live release of a deployment's place back into the desired state: its instances go on, those of the deployment
 * end. Where nothing was live, or the service is suspended, nothing runs.
 */
export async function rollBack(
  effect: Effect,
  parts: RolloutParts,
  { deploymentId, organizationId }: DeploymentRef,
): Promise<void> {
  const { rows } = await sql<Row & { suspended: boolean }>`
    ${columns}, place.suspended from deployment asked
    join environment_service place on place.organization_id = asked.organization_id
      and place.environment_id = asked.environment_id and place.service_id = asked.service_id
    join deployment on deployment.id = place.live_deployment_id
    join release on release.id = place.live_release_id ${names}
    where asked.id = ${deploymentId} and asked.organization_id = ${organizationId}
  `.execute(effect.kysely);
  const [live] = rows.map(asItRuns);
  if (live !== undefined)
    await put(effect, parts, organizationId, live, live.suspended ? suspendedWorkload : workloadOf);
  else {
    const own = await rowOf(effect, { deploymentId, organizationId });
    if (own !== undefined) await put(effect, parts, organizationId, own, emptyWorkload);
  }
}

async function rowOf(effect: Effect, { deploymentId, organizationId }: DeploymentRef): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    ${columns} from deployment join release on release.id = deployment.release_id ${names}
    where deployment.id = ${deploymentId} and deployment.organization_id = ${organizationId}
  `.execute(effect.kysely);
  return rows.map(asItRuns)[0];
}

/** With its file over its settings. Of releases of earlier versions, which may lack settings, is said where they are put in form. */
function asItRuns<Of extends Row>(row: Of): Of {
  return (row.content as Partial<ReleaseContent>).settings === undefined
    ? row
    : { ...row, content: effectiveContent(row.content) };
}

/**
 * A redeployment and a resumption have instances of their own, and so has a rerun of one; else they are the live ones where the release runs as
 * the live one does.
 */
const instancesName = sql`
    case when deployment.kind in ('redeploy', 'resume') or deployment.kind = 'rerun' and exists (
      select from environment_service at where at.organization_id = release.organization_id
        and at.environment_id = release.environment_id and at.service_id = release.service_id
        and at.live_release_id = release.id) then concat(release.runs_as, '.', deployment.admission_order)
    else coalesce((
      select before.runs_as from environment_service at
      join deployment before on before.organization_id = at.organization_id and before.id = at.live_deployment_id
      where at.organization_id = release.organization_id and at.environment_id = release.environment_id
        and at.service_id = release.service_id
        and (before.runs_as = release.runs_as::text or before.runs_as like concat(release.runs_as, '.%'))
    ), release.runs_as::text) end`;
const columns = sql`
  select environment.cluster_id, release.project_id, environment.id as environment_id, environment.name as environment_name,
    service.id as service_id, service.slug as service_slug,
    concat(project.slug, '/', environment.slug, '/', service.slug) as name,
    release.id as release_id, release.content, release.sealed, release.content_digest,
    deployment.id as deployment_id, coalesce(deployment.runs_as, ${instancesName}) as runs_as,
    case when deployment.kind in ('rollback', 'redeploy', 'rerun', 'resume') then (
      select settings from environment_service today where today.organization_id = release.organization_id
        and today.environment_id = release.environment_id and today.service_id = release.service_id
    ) end as today`;
const names = sql`
  join environment on environment.organization_id = release.organization_id and environment.id = release.environment_id
  join service on service.organization_id = release.organization_id and service.id = release.service_id
  join project on project.organization_id = release.organization_id and project.id = release.project_id`;

async function put(
  effect: Effect,
  { keyring, ingressDomain }: RolloutParts,
  organizationId: string,
  row: Row,
  form: Form,
): Promise<{ clusterId: string; revision: number }> {
  const { environment_id: environmentId, service_id: serviceId } = row;
  const clusterId = row.cluster_id ?? (await chooseCluster(effect, organizationId, environmentId));
  if (clusterId === undefined) {
    throw new CannotRoll(
      `The environment "${row.environment_name}" has no cluster, and there is none that takes workloads: add one, or choose one in its settings.`,
    );
  }
  const agent = await agentOf(effect, clusterId);
  const cluster = { id: clusterId, organizationId };
  const sealed = await openReleaseSecrets(keyring, { id: row.release_id, organizationId, sealed: row.sealed });
  const { secrets, late } = valuesOf(row.content, sealed);
  const docker = agent?.facts?.driver === 'docker';
  const reached = row.content.references?.reached ?? {};
  Object.assign(secrets, await lateValues(effect, cluster, { environmentId, late, reached, docker }));
  const key = rolloutKey(environmentId, serviceId);
  const credential = await signInFor(effect, keyring, { organizationId, projectId: row.project_id }, row.content);
  const workload = await formed(effect, cluster, { key, row, agent, secrets, credential, form });
  const { revision } = await applySlice(effect, keyring, cluster, { key, name: row.name, workload, ingressDomain });
  return { clusterId, revision };
}

/**
 * The project was made before there was a cluster in contact: its environment gets one with its first deployment, which
 * waits for the agent of the only one there is.
 */
async function chooseCluster(
  effect: Effect,
  organizationId: string,
  environmentId: string,
): Promise<string | undefined> {
  const cluster =
    (await recommendedCluster(effect.kysely, organizationId)) ?? (await awaitedCluster(effect.kysely, organizationId));
  if (cluster === undefined) return undefined;
  const environment = await tenant(effect.kysely, organizationId)
    .updateTable('environment')
    .set({ cluster_id: cluster.id })
    .where('id', '=', environmentId)
    .where('cluster_id', 'is', null)
    .returning('project_id as projectId')
    .executeTakeFirst();
  if (environment !== undefined)
    effect.change({ organizationId, projectId: environment.projectId, kind: 'environment', id: environmentId });
  return cluster.id;
}

/** As the credential is today: one that was rotated or deleted, or is not for the project any more, is not in the release. */
async function signInFor(
  { kysely }: Effect,
  keyring: Secrets,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  content: Partial<ReleaseContent>,
): Promise<ToRoll['credential']> {
  const { registryCredentialId: id, repository = '' } = content.image ?? {};
  if (id === undefined) return undefined;
  const host = repository.split('/')[0] ?? '';
  return await registrySignIn(kysely, keyring, organizationId, { id, host, usedFor: [projectId] });
}

type Form = (roll: ToRoll, agent: RollingAgent | undefined) => ReturnType<typeof workloadOf>;

interface ToForm {
  key: string;
  row: Row;
  agent: RollingAgent | undefined;
  secrets: Record<string, string>;
  credential: ToRoll['credential'];
  form: Form;
}

async function formed(effect: Effect, cluster: ClusterRef, { key, row, agent, secrets, credential, form }: ToForm) {
  try {
    const roll = {
      content: { ...row.content, settings: withReplicasOf(row.content.settings, row.today ?? undefined) },
      secrets,
      credential,
      ports: await portsOf(effect, cluster, key, row.content, agent),
      runsAs: row.runs_as,
      rollout: { id: row.deployment_id, digest: row.content_digest },
      network: { environment: row.environment_id, aliases: [row.service_slug] },
    };
    return form(roll, agent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CannotRoll('The release was stored by another version of Ballast: deploy the service again.');
  }
}
