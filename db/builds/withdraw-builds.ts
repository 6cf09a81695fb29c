import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { cancelBuild } from './cancel-build.ts';

interface Place {
  organizationId: string;
  environmentId: string;
  serviceId: string;
}

/** Cancels the builds of a service that leaves an environment: nobody would deploy what they make. */
export async function withdrawBuilds(
  effect: Effect,
  { organizationId, environmentId, serviceId }: Place,
): Promise<void> {
  const open = await tenant(effect.kysely, organizationId)
    .selectFrom('build')
    .innerJoin('service', 'service.id', 'build.service_id')
    .select(['build.id', 'service.name'])
    .where('build.environment_id', '=', environmentId)
    .where('build.service_id', '=', serviceId)
    .where('build.finished_at', 'is', null)
    .where('build.cancel_requested_at', 'is', null)
    .orderBy('build.id')
    .execute();
  for (const { id, name } of open) await cancelBuild(effect, id, name);
}
