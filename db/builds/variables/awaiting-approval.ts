import { sql } from 'kysely';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';

interface Build {
  id: string;
  organizationId: string;
  environmentId: string;
  serviceId: string;
}

/**
 * Of rows of `build`: its source is neither the head of the branch that is connected to its environment nor approved, and that
 * environment is a production one which gives variables to builds of the service. It waits, since any command of it could tell them.
 */
export const awaitsApproval = sql<boolean>`(build.state = 'queued' and not build.connected and build.approved_by_id is null
  and exists (select from environment where environment.organization_id = build.organization_id
    and environment.id = build.environment_id and environment.production)
  and exists (select from variable where variable.organization_id = build.organization_id
    and variable.environment_id = build.environment_id and variable.service_id = build.service_id
    and variable.build_time in ('also', 'only')))`;

export async function isAwaiting({ kysely }: Effect, { id, organizationId }: Build): Promise<boolean> {
  const awaiting = await tenant(kysely, organizationId)
    .selectFrom('build')
    .select('id')
    .where('id', '=', id)
    .where(awaitsApproval)
    .executeTakeFirst();
  return awaiting !== undefined;
}

/** The names of the variables that it would be given. */
export async function seenBy({ kysely }: Effect, build: Omit<Build, 'id'>): Promise<string[]> {
  const rows = await tenant(kysely, build.organizationId)
    .selectFrom('variable')
    .select('key')
    .where('environment_id', '=', build.environmentId)
    .where('service_id', '=', build.serviceId)
    .where('build_time', 'in', ['also', 'only'])
    .orderBy('key')
    .execute();
  return rows.map(({ key }) => key);
}
