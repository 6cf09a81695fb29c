import { v7 as uuid } from 'uuid';
import { hashSecret, newSecret } from '../../db/keys/secrets.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { BuildState } from '../../domain/builds/states.ts';
import type { RunningApi, Seeded } from '../installation/running-api.ts';
import type { SeededRepository } from './seed-repository.ts';

/** A cluster and the credential of its agent. */
export async function seedAgent(api: RunningApi, { tokens }: Seeded): Promise<{ clusterId: string; secret: string }> {
  const body = { name: `Builds ${uuid()}` };
  const made = await api.call('POST', '/api/v1/clusters', { as: tokens.admin, body });
  const { id: clusterId } = made.body.cluster as { id: string };
  const secret = newSecret();
  await api.database.kysely
    .updateTable('cluster_agent')
    .set({ credential_hash: hashSecret(secret), enrolled_at: new Date() })
    .where('cluster_id', '=', clusterId)
    .execute();
  return { clusterId, secret };
}

/** A build of the repository's service on a cluster, in an environment of its own. */
export async function seedBuild(
  database: Database,
  { organizationId, projectId, serviceId }: SeededRepository,
  { clusterId, sourceId, state = 'running' }: { clusterId: string; sourceId?: string; state?: BuildState },
): Promise<string> {
  const own = tenant(database.kysely, organizationId);
  const [id, environmentId] = [uuid(), uuid()];
  const slug = `e-${environmentId.slice(-8)}`;
  await own
    .insertInto('environment')
    .values({ id: environmentId, project_id: projectId, name: slug, slug, namespace: slug, kind: 'persistent' })
    .execute();
  const { count } = await own
    .selectFrom('build')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('service_id', '=', serviceId)
    .executeTakeFirstOrThrow();
  await own
    .insertInto('build')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, service_id: serviceId, cluster_id: clusterId },
      ...{ number: Number(count) + 1, trigger: 'upload', state, build_source_id: sourceId ?? null },
      ...{ requested_by_kind: 'user', requested_by_id: 'a', requested_by_name: 'A' },
    })
    .execute();
  return id;
}
