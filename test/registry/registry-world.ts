import { type Credential, type RunningApi, runningApi, type Seeded, seed } from '../installation/running-api.ts';
import { RegistryClient } from './registry-client.ts';
import { type SeededRepository, seedRepository } from './seed-repository.ts';

/** An API with an organization, and repositories of it. */
export interface RegistryWorld {
  api: RunningApi;
  organization: Seeded;
  repository: SeededRepository;
  /** Another one of the same organization. */
  other: SeededRepository;
  /** Speaks to a repository; by default as a deployer. */
  client(repository?: SeededRepository, as?: Credential): RegistryClient;
  close(): Promise<void>;
}

export async function registryWorld(env: Record<string, string> = {}): Promise<RegistryWorld> {
  const api = await runningApi({ env });
  const organization = await seed(api.database);
  const repository = await seedRepository(api.database, organization);
  const other = await seedRepository(api.database, organization);
  return {
    api,
    organization,
    repository,
    other,
    client: (of = repository, as = organization.tokens.deployer) => new RegistryClient(api.url, of.path, tokenOf(as)),
    close: () => api.close(),
  };
}

export function tokenOf(credential: Credential): string {
  if (!('token' in credential)) throw new Error('A session opens no registry.');
  return credential.token;
}
