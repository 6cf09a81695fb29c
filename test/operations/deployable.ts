import { createCluster } from '../../db/clusters/clusters.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { machine } from '../seeds/seed.ts';
import { tenantRow } from '../seeds/tenant-row.ts';
import type { ExampleGround } from './example.ts';

/** The things of an organization that requests name: a team, a cluster, a credential of a registry, a Git connection, an object store. */
export async function deployable({ database }: ExampleGround['api'], { organizationId }: ExampleGround['ours']) {
  const [teamId, registryCredentialId] = [crypto.randomUUID(), crypto.randomUUID()];
  const own = tenant(database.kysely, organizationId);
  await own.insertInto('team').values({ id: teamId, name: teamId, slug: teamId }).execute();
  const name = `Made ${registryCredentialId}`;
  const credential = { id: registryCredentialId, name, host: 'registry.example.com', username: 'ada' };
  await own
    .insertInto('registry_credential')
    .values({ ...credential, sealed: Buffer.from(''), created_by: 'Ada' })
    .execute();
  const cluster = await effect(database, machine, (making) => createCluster(making, { organizationId, name }));
  const gitConnectionId = crypto.randomUUID();
  const git = { kind: 'selfhosted-token', provider: 'plain', host: 'git.example.com', label: gitConnectionId } as const;
  await own
    .insertInto('git_connection')
    .values({
      ...git,
      id: gitConnectionId,
      sealed: Buffer.from(''),
      sealed_webhook: Buffer.from(''),
      created_by: 'Ada',
    })
    .execute();
  const objectStoreId = crypto.randomUUID();
  await tenantRow(database, 'object_store', organizationId, { id: objectStoreId, name: objectStoreId });
  return { teamId, registryCredentialId, gitConnectionId, objectStoreId, clusterId: cluster.id };
}
