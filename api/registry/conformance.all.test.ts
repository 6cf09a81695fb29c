import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningApi, runningApi, seed } from '../../test/installation/running-api.ts';
import { type Bucket, startBucket } from '../../test/registry/bucket.ts';
import { clientProgram, run } from '../../test/registry/clients.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';
import { storages } from '../../test/registry/storages.ts';

const suite = clientProgram('conformance');
describe.each(storages)('on %s', (storage) => {
  let api: RunningApi;
  let bucket: Bucket | undefined;
  let directory: string;

  beforeAll(async () => {
    bucket = storage === 's3' ? await startBucket() : undefined;
    api = await runningApi({ env: bucket?.env ?? {} });
    directory = mkdtempSync(join(tmpdir(), 'ballast-conformance-'));
  });

  afterAll(async () => {
    await api.close();
    await bucket?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  describe.skipIf(suite === undefined)('the conformance suite', () => {
    test('finds nothing in pull, push, content discovery and content management', async () => {
      const organization = await seed(api.database);
      const { deployer } = organization.tokens;
      const told = await run(suite ?? '', [], {
        OCI_VERSION: '1.1',
        OCI_TLS: 'disabled',
        OCI_REGISTRY: new URL(api.url).host,
        OCI_REPO1: (await seedRepository(api.database, organization)).path,
        OCI_REPO2: (await seedRepository(api.database, organization)).path,
        OCI_USERNAME: 'anybody',
        OCI_PASSWORD: 'token' in deployer ? deployer.token : '',
        OCI_API_BLOBS_DIGEST_HEADER: 'true',
        OCI_API_BLOBS_UPLOAD_CANCEL: 'true',
        OCI_API_MANIFESTS_DIGEST_HEADER: 'true',
        OCI_RESULTS_DIR: directory,
      }).catch((error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`);
      const lines = told.split('\n');
      const passed = lines.filter((line) => /:\s+Pass\s*$/i.test(line)).length;
      process.stdout.write(`The conformance suite on ${storage}: ${passed} groups passed\n`);
      expect(passed, told).toBeGreaterThan(20);
      expect(
        lines.filter((line) => /:\s+(?:FAIL|Error)/i.test(line)),
        told,
      ).toEqual([]);
    });
  });
});
