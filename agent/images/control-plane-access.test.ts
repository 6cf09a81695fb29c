import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { hashSecret } from '../../db/keys/secrets.ts';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';
import { blobOf } from '../../test/images/registry.ts';
import { runningApi, seed } from '../../test/installation/running-api.ts';
import { RegistryClient, types } from '../../test/registry/registry-client.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';
import { Client } from '../link/client.ts';
import { Refusal } from '../program/refusal.ts';
import { ControlPlaneAccess } from './control-plane-access.ts';
import { ImageStore } from './image-store.ts';

const secret = 'the-credential-of-an-agent-in-a-test';
const signal = new AbortController().signal;

const api = await runningApi();
const home = temporaryFolder();
afterAll(() => api.close());

test('an agent pulls what its cluster runs by its link and with its own credential, and nothing else', async () => {
  const organization = await seed(api.database);
  const { organizationId, tokens } = organization;
  const { clusterId, environmentId } = await seedPlace(api.database, organizationId);
  const { path, serviceId } = await seedRepository(api.database, organization);
  const { kysely } = api.database;
  const agent = kysely.updateTable('cluster_agent').where('cluster_id', '=', clusterId);
  await agent.set({ credential_hash: hashSecret(secret) }).execute();
  const { deployer } = tokens;
  const { layout, digest } = await handMadeLayout([[{ name: 'run', content: 'something to run' }]]);
  const registry = new RegistryClient(api.url, path, 'token' in deployer ? deployer.token : '');
  const manifest = blobOf(layout, digest);
  const { config, layers } = JSON.parse(manifest.toString());
  for (const part of [config, ...layers]) {
    await registry.ask('POST', `blobs/uploads/?digest=${part.digest}`, { body: blobOf(layout, part.digest) });
  }
  await registry.ask('PUT', `manifests/${digest}`, { body: manifest, headers: { 'content-type': types.manifest } });
  rmSync(layout, { recursive: true });
  const client = new Client({ url: api.url, credential: () => secret });
  const controlPlane = (repository: string) => new ControlPlaneAccess(client, repository);
  const store = new ImageStore(home, { limitBytes: 1e9, maxImageBytes: 1e9, controlPlane });
  const pull = () => store.ready({ own: path, digest }, signal);

  const refusal = await pull().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  const key = `env/${environmentId}/${serviceId}`;
  await kysely
    .insertInto('cluster_slice')
    .values({ cluster_id: clusterId, key, organization_id: organizationId, name: path, revision: 1, workload: {} })
    .execute();
  expect(await pull()).toMatchObject({ digest });
  client.close();
});
