import type { EnvironmentRef } from '../../change-sets/environment-ref.ts';
import type { ProjectRef } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { cancelBuild } from '../cancel-build.ts';
import { callNext } from '../claim.ts';

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
