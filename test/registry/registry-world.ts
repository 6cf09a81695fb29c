import { pino } from 'pino';
import type { BlobStore } from '../../api/registry/storage/blob-store.ts';
import { openStore } from '../../api/registry/storage/open-store.ts';
import { hashSecret, newSecret } from '../../db/keys/secrets.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import type { Organization } from '../api/client.ts';
import { type Credential, type RunningApi, runningApi } from '../installation/running-api.ts';
import { type Bucket, startBucket } from './bucket.ts';
import { RegistryClient } from './registry-client.ts';
import { type SeededRepository, seedRepository } from './seed-repository.ts';
import type { Storage } from './storages.ts';

/** An API with an organization, and repositories of it. */
export interface RegistryWorld {
  api: RunningApi;
  /** Where its blobs are, if not on disk. */
  bucket: Bucket | undefined;
  /** The same storage, as another process sees it. */
  store: BlobStore;
  organization: Organization;
  repository: SeededRepository;
  /** Another one of the same organization. */
  other: SeededRepository;
  /** Speaks to a repository; by default as a deployer. */
  client(repository?: SeededRepository, as?: Credential): RegistryClient;
  /** A cluster whose agent has this secret. */
  cluster(): Promise<{ clusterId: string; secret: string }>;
  /** The service of the repository is to run there. */
  runs(clusterId: string): Promise<void>;
  close(): Promise<void>;
}

export async function registryWorld(
  env: Record<string, string> = {},
  storage: Storage = 'disk',
): Promise<RegistryWorld> {
  const bucket = storage === 's3' ? await startBucket() : undefined;
  const api = await runningApi({ env: { ...bucket?.env, ...env } });
  const organization = await api.organization();
  const repository = await seedRepository(api.database, organization);
  const other = await seedRepository(api.database, organization);
  const settings = readSettings({ ...bucket?.env, REGISTRY_DIRECTORY: api.registryDirectory });
  const store = openStore(settings, api.database, pino({ level: 'silent' }));
  return {
    api,
    bucket,
    store,
    organization,
    repository,
    other,
    client: (of = repository, as = organization.tokens.deployer) => new RegistryClient(api.url, of.path, tokenOf(as)),
    async cluster() {
      const made = await organization.tokens.admin.post('/clusters', { name: 'Pulling' });
      const { id: clusterId } = made.body.cluster as { id: string };
      const secret = newSecret();
      const enrolled = { credential_hash: hashSecret(secret), enrolled_at: new Date() };
      await api.rows.set('cluster_agent', { cluster_id: clusterId }, enrolled);
      return { clusterId, secret };
    },
    runs: async (clusterId) => {
      const key = `env/01890000-0000-7000-8000-000000000000/${repository.serviceId}`;
      const slice = { cluster_id: clusterId, key, name: 'web', revision: 1, workload: {} };
      await organization.rows.add('cluster_slice', slice);
    },
    close: async () => {
      await store.close();
      await api.close();
      await bucket?.stop();
    },
  };
}

export function tokenOf(credential: Credential): string {
  if (!('token' in credential)) throw new Error('A session opens no registry.');
  return credential.token;
}
