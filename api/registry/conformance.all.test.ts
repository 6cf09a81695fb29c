import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';
import { type Bucket, startBucket } from '../../test/registry/bucket.ts';
import { clientProgram, earlierConformance, run } from '../../test/registry/clients.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';
import { storages } from '../../test/registry/storages.ts';

const [suite, earlier] = [clientProgram('conformance'), earlierConformance()];

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
      const organization = await api.organization();
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

  describe.skipIf(earlier === undefined)('the conformance suite 1.1.1', () => {
    test('finds nothing, although it asks without a credential first, at the usual limits', async () => {
      // The usual limit of a client address without a credential, which a suite of tests passes many times over.
      const usual = await runningApi({ env: { ...bucket?.env, RATE_LIMIT_ANONYMOUS_PER_MINUTE: '120' } });
      const organization = await usual.organization();
      const { deployer } = organization.tokens;
      const told = await run(earlier ?? '', ['--ginkgo.no-color'], {
        OCI_ROOT_URL: usual.url,
        OCI_NAMESPACE: (await seedRepository(usual.database, organization)).path,
        OCI_CROSSMOUNT_NAMESPACE: (await seedRepository(usual.database, organization)).path,
        OCI_USERNAME: 'anybody',
        OCI_PASSWORD: 'token' in deployer ? deployer.token : '',
        OCI_TEST_PULL: '1',
        OCI_TEST_PUSH: '1',
        OCI_TEST_CONTENT_DISCOVERY: '1',
        OCI_TEST_CONTENT_MANAGEMENT: '1',
        OCI_REPORT_DIR: directory,
      }).catch((error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`);
      await usual.close();
      const [, passed, failed] = /(\d+) Passed \| (\d+) Failed/.exec(told) ?? [];
      process.stdout.write(`The conformance suite 1.1.1 on ${storage}: ${passed} passed, ${failed} failed\n`);
      expect(Number(passed), told).toBeGreaterThan(60);
      expect(failed, told).toBe('0');
    });
  });
});
