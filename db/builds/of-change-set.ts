import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import { deployOrder } from '../../domain/references/deploy-order.ts';
import { planChanges } from '../change-sets/apply/plan.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import { acceptDowntime, downtimeOf } from '../deployments/admission/downtime.ts';
import { admit, type ProjectRef } from '../deployments/admission.ts';
import { adoptSettings } from '../deployments/restore-settings.ts';
import type { Effect } from '../engine/effect.ts';
import { machineOf, refuseMisfit } from '../environments/machine.ts';
import { tenant } from '../postgres/tenant.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';
import { cancelBuild } from './cancel-build.ts';
import { type BuildRow, callNext } from './claim.ts';

interface OpenBuildOf {
  id: string;
  serviceId: string;
  clusterId: string;
  name: string;
}

/** The builds that a change set waits for. */
export async function openBuildsOf(
  { kysely }: Pick<Effect, 'kysely'>,
  { organizationId }: Pick<EnvironmentRef, 'organizationId'>,
  changeSetId: string,
): Promise<OpenBuildOf[]> {
  return await tenant(kysely, organizationId)
    .selectFrom('build')
    .innerJoin('service', 'service.id', 'build.service_id')
    .select(['build.id', 'build.service_id as serviceId', 'build.cluster_id as clusterId', 'service.name'])
    .where('build.change_set_id', '=', changeSetId)
    .where('build.finished_at', 'is', null)
    .orderBy('build.id')
    .execute();
}

/** Its approval was decided: approved, its builds get their turn; else nobody waits for them any more. */
export async function decideBuilds(
  effect: Effect,
  project: ProjectRef,
  changeSetId: string,
  approved: boolean,
): Promise<void> {
  const builds = await openBuildsOf(effect, project, changeSetId);
  if (approved) for (const clusterId of new Set(builds.map((one) => one.clusterId))) await callNext(effect, clusterId);
  else for (const { id, name } of builds) await cancelBuild(effect, id, name);
}

/**
 * The deployment of what was built for a change set: a member of it, in its order, under the approval that it has. It has the
 * id of the build, for which others wait already.
 */
export async function deployMember(
  effect: Effect,
  keyring: Secrets,
  build: BuildRow,
  { releaseId, changeSetId }: { releaseId: string; changeSetId: string },
): Promise<string> {
  const { id, organizationId, projectId, environmentId, serviceId } = build;
  const own = tenant(effect.kysely, organizationId);
  const changeSet = await own
    .selectFrom('change_set')
    .select(['state', 'title', 'downtime_accepted as downtimeAccepted'])
    .select(['requested_by_kind as kind', 'requested_by_id as by', 'requested_by_name as name'])
    .where('id', '=', changeSetId)
    .executeTakeFirstOrThrow();
  if (changeSet.state !== 'applying') {
    throw new Problem('conflict', `Its change set is ${changeSet.state} already: deploy the release by itself.`);
  }
  const release = await own
    .selectFrom('release')
    .innerJoin('service', 'service.id', 'release.service_id')
    .select(['release.content', 'release.runs_as as runsAs', 'release.image_ref as imageRef'])
    .select(['release.image_platforms as platforms', 'service.name'])
    .where('release.id', '=', releaseId)
    .executeTakeFirstOrThrow();
  refuseMisfit(release.name, release.imageRef, release.platforms, await machineOf(effect.kysely, build));
  const { settings } = release.content;
  const down = await downtimeOf(effect.kysely, build, [{ serviceId, settings, replaces: { runsAs: release.runsAs } }]);
  const downtimeAccepted = await acceptDowntime(effect, build, down, changeSet.downtimeAccepted);
  const one = {
    ...{ id, environmentId, serviceId, releaseId, kind: 'change-set' as const, queue: true, downtimeAccepted },
    ...{ changeSetId, changeSetMessage: changeSet.title, after: await before(effect, build, changeSetId) },
    requestedBy: { kind: changeSet.kind, id: changeSet.by, name: changeSet.name },
  };
  const decision = await admit(effect, { organizationId, projectId }, { event: 'create', deployments: [one] });
  if ('refused' in decision) {
    throw new Problem('service-suspended', 'The service is suspended here: resume it, then deploy the release.');
  }
  await adoptSettings(effect, keyring, 'deploy', {
    id: releaseId,
    organizationId,
    projectId,
    environmentId,
    serviceId,
  });
  await own.updateTable('build').set({ deployment_id: id }).where('id', '=', id).execute();
  return id;
}

/** Deployments of the change set that come before it, those that are still to come included. */
async function before(effect: Effect, { organizationId, environmentId, serviceId }: BuildRow, changeSetId: string) {
  const { needs } = await planChanges(effect.kysely, { organizationId, environmentId }, uuid(), [serviceId]);
  const deployed = await tenant(effect.kysely, organizationId)
    .selectFrom('deployment')
    .innerJoin('service', 'service.id', 'deployment.service_id')
    .select(['deployment.id', 'deployment.service_id as serviceId', 'deployment.state', 'service.name'])
    .where('deployment.change_set_id', '=', changeSetId)
    // The last one of a service counts: those before it were superseded.
    .orderBy('deployment.admission_order')
    .execute();
  const coming = await openBuildsOf(effect, { organizationId }, changeSetId);
  const members = new Map([...deployed, ...coming].map((one) => [one.serviceId, one]));
  const first = (deployOrder(needs, [...new Set([...members.keys(), serviceId])]).get(serviceId) ?? []).flatMap(
    (one) => members.get(one) ?? [],
  );
  const missed = first.find((one) => 'state' in one && isMissed(one.state));
  if (missed !== undefined) {
    throw new Problem(
      'conflict',
      `"${missed.name}", on which it depends, did not go live. Repair that, then retry the change set.`,
    );
  }
  return first.map((one) => one.id);
}

function isMissed(state: string): boolean {
  return ['failed', 'cancelled', 'rejected', 'expired'].includes(state);
}
