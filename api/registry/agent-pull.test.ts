import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ControlPlaneAccess } from '../../agent/images/control-plane-access.ts';
import { ImageStore } from '../../agent/images/image-store.ts';
import { Client } from '../../agent/link/client.ts';
import { pushLayout } from '../../cli/image/push-layout.ts';
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
  const { clusterId, secret } = await world.cluster();
  const client = new Client({ url: world.api.url, credential: () => secret });
  const store = new ImageStore(home, {
    limitBytes: 1e9,
    maxImageBytes: 1e9,
    controlPlane: (repository) => new ControlPlaneAccess(client, repository),
  });
  const { signal } = new AbortController();
  await expect(store.ready({ own: path, digest }, signal)).rejects.toThrow(/does not have/);
  await world.runs(clusterId);
  const ready = await store.ready({ own: path, digest }, signal);
  expect(ready.digest).toBe(digest);
  const [layer] = ready.layers;
  expect(readFileSync(layer?.path ?? '')).toEqual(
    readFileSync(join(layout, 'blobs', (layer?.digest ?? '').replace(':', '/'))),
  );
  client.close();
  rmSync(layout, { recursive: true });
});
