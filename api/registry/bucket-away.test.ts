import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { proxyTo, type TcpProxy } from '../../test/ground/proxy.ts';
import { until } from '../../test/ground/until.ts';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../test/registry/bucket.ts';
import { blobOf, imageOf, RegistryClient } from '../../test/registry/registry-client.ts';
import { tokenOf } from '../../test/registry/registry-world.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';

describe.skipIf(!bucketsAreThere)('a bucket that cannot be reached', () => {
  let bucket: Bucket;
  let proxy: TcpProxy;
  let api: RunningApi;
  let client: RegistryClient;
  beforeAll(async () => {
    bucket = await startBucket();
    proxy = await proxyTo(new URL(bucket.target.endpoint).host);
    api = await runningApi({ env: { ...bucket.env, REGISTRY_S3_ENDPOINT: `http://${proxy.address}` } });
    const organization = await api.organization();
    const { path } = await seedRepository(api.database, organization);
    client = new RegistryClient(api.url, path, tokenOf(organization.tokens.deployer));
  });
  afterAll(async () => {
    await api.close();
    await proxy.close();
    await bucket.stop();
  });

  const kept = blobOf('pushed before');
  const registryPart = async () => {
    const { body } = await api.call('GET', '/readyz');
    const { registry } = body.parts as { registry: { ready: boolean; detail?: string } };
    return registry;
  };

  test('is 503 with Retry-After for pushes and pulls, and what had arrived goes on afterwards', async () => {
    expect((await client.pushBlob(kept)).status).toBe(201);
    const bytes = randomBytes(100_000);
    const { digest } = blobOf(bytes);
    const place = await client.begin();
    const first = { body: bytes.subarray(0, 50_000), headers: { 'content-range': '0-49999' } };
    expect((await client.ask('PATCH', place, first)).status).toBe(202);
    const rest = { body: bytes.subarray(50_000), headers: { 'content-range': '50000-99999' } };
    await proxy.cut();
    const config = { ...kept, bytes: kept.bytes };
    const answers = await Promise.all([
      client.ask('GET', `blobs/${kept.digest}`),
      client.ask('HEAD', `blobs/${kept.digest}`),
      client.ask('PATCH', place, rest),
      client.ask('POST', `blobs/uploads/?digest=${blobOf('x').digest}`, { body: 'x' }),
      client.pushManifest(imageOf(config, [])),
    ]);
    for (const { status, headers, bytes: told } of answers) {
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(told.toString()).not.toMatch(/127\.0\.0\.1|ECONN|pushed/);
    }
    // Rows are enough for that.
    expect((await client.ask('GET', place)).headers.get('range')).toBe('0-49999');
    expect(api.lines.filter(({ problem, msg }) => problem === 'defect' || /defect/.test(String(msg)))).toEqual([]);
    expect(
      api.lines.some(({ msg }) => /^The bucket pushed at .* cannot be reached: ECONNREFUSED/.test(String(msg))),
    ).toBe(true);
    expect(JSON.stringify(api.lines)).not.toMatch(/the-secret-access-key|Signature=/);
    await proxy.restore();
    expect((await client.ask('PATCH', place, rest)).status).toBe(202);
    expect((await client.ask('PUT', `${place}?digest=${digest}`)).status).toBe(201);
    expect((await client.ask('GET', `blobs/${digest}`)).bytes.equals(bytes)).toBe(true);
    expect((await client.pushManifest(imageOf(config, []))).status).toBe(201);
  });

  test('is told by /readyz, which stays ready', async () => {
    expect(await registryPart()).toEqual({ ready: true });
    await proxy.cut();
    // A request that fails counts for more than a probe that did not, a while ago.
    expect((await client.ask('GET', `blobs/${kept.digest}`)).status).toBe(503);
    const told = await until('it is told', async () => {
      const part = await registryPart();
      return part.detail !== undefined && part;
    });
    expect(told).toMatchObject({ ready: true, detail: expect.stringContaining('cannot be used') });
    await proxy.restore();
    await until('it is ready again', async () => (await registryPart()).detail === undefined);
  });
});
