import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { ControlPlaneAccess } from '../../agent/images/control-plane-access.ts';
import { ImageStore } from '../../agent/images/image-store.ts';
import { Client } from '../../agent/link/client.ts';
import { pushLayout } from '../../cli/image/push-layout.ts';
import { hashSecret, newSecret } from '../../db/keys/secrets.ts';
import { resolveManifest } from '../../db/registry/references.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';
import { registryWorld, tokenOf } from '../../test/registry/registry-world.ts';

const world = await registryWorld();
const home = mkdtempSync(join(tmpdir(), 'ballast-agent-pull-'));

afterAll(async () => {
  await world.close();
  rmSync(home, { recursive: true });
});

test('what our CLI pushes, the agent of a cluster where it is to run pulls, and before that it does not', async () => {
  const { organizationId, tokens } = world.organization;
  const { path, serviceId } = world.repository;
  const { kysely } = world.api.database;
  const { layout } = await handMadeLayout([[{ name: 'run', content: 'a program' }]], { compression: 'tar' });
  const deployer = { url: world.api.url, repository: path, token: tokenOf(tokens.deployer), tag: 'v1' };
  await pushLayout(layout, deployer);
  const found = await resolveManifest(kysely, organizationId, serviceId, 'v1');
  const digest = found?.digest ?? '';
  const made = await world.api.call('POST', '/api/v1/clusters', { as: tokens.admin, body: { name: 'Pulling' } });
  const { id: clusterId } = made.body.cluster as { id: string };
  const secret = newSecret();
  await kysely
    .updateTable('cluster_agent')
    .set({ credential_hash: hashSecret(secret), enrolled_at: new Date() })
    .where('cluster_id', '=', clusterId)
    .execute();
  const client = new Client({ url: world.api.url, credential: () => secret });
  const store = new ImageStore(home, {
    limitBytes: 1e9,
    maxImageBytes: 1e9,
    controlPlane: (repository) => new ControlPlaneAccess(client, repository),
  });
  const { signal } = new AbortController();
  await expect(store.ready({ own: path, digest }, signal)).rejects.toThrow(/does not have/);
  await kysely
    .insertInto('cluster_slice')
    .values({
      cluster_id: clusterId,
      organization_id: organizationId,
      key: `env/01890000-0000-7000-8000-000000000000/${serviceId}`,
      name: 'web',
      revision: 1,
      workload: sql`'{}'::jsonb`,
    })
    .execute();
  const ready = await store.ready({ own: path, digest }, signal);
  expect(ready.digest).toBe(digest);
  const [layer] = ready.layers;
  expect(readFileSync(layer?.path ?? '')).toEqual(
    readFileSync(join(layout, 'blobs', (layer?.digest ?? '').replace(':', '/'))),
  );
  client.close();
  rmSync(layout, { recursive: true });
});
