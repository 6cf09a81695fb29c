import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { S3Client } from '../../outbound/s3/s3-client.ts';
import type { S3Target } from '../../outbound/s3/s3-request.ts';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';
import { clientProgram } from './clients.ts';

const program = clientProgram('versitygw');
/** Whether there is a server of buckets; the reason is told otherwise. */
export const bucketsAreThere = program !== undefined;

/** A bucket of the test's own, at a real server of S3. */
export interface Bucket {
  target: S3Target;
  /** Settings with which an API keeps its images there. */
  env: Record<string, string>;
  client: S3Client;
  /** Keys of all objects that begin so. */
  keys(prefix?: string): Promise<string[]>;
  /** The multipart uploads that are open. */
  uploads(): Promise<string[]>;
  stop(): Promise<void>;
}

/** With a certificate it speaks TLS. */
export async function startBucket(
  prefix = 'images/',
  certificate?: { ca: string; cert: string; key: string },
): Promise<Bucket> {
  if (program === undefined) throw new Error('There is no versitygw.');
  const directory = mkdtempSync(join(tmpdir(), 'ballast-bucket-'));
  for (const name of ['data/pushed', 'meta']) mkdirSync(join(directory, name), { recursive: true });
  const port = await freePort();
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  if (certificate !== undefined) {
    writeFileSync(files.cert, certificate.cert);
    writeFileSync(files.key, certificate.key);
  }
  const [accessKeyId, secretAccessKey] = ['the-access-key', 'the-secret-access-key'];
  const child = spawn(
    program,
    [
      ...(certificate === undefined ? [] : ['--cert', files.cert, '--key', files.key]),
      ...['--port', `127.0.0.1:${port}`, '--virtual-domain', `buckets.test:${port}`, '--quiet'],
      ...['posix', '--sidecar', join(directory, 'meta'), join(directory, 'data')],
    ],
    {
      env: { ...process.env, ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
      stdio: 'ignore',
    },
  );
  const endpoint = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const target = {
    endpoint,
    region: 'us-east-1',
    bucket: 'pushed',
    pathStyle: true,
    prefix,
    accessKeyId,
    secretAccessKey,
  };
  const trusted = certificate && new Agent({ connect: { ca: certificate.ca } });
  const client = new S3Client(target, trusted);
  const ended = once(child, 'exit');
  await until('the bucket answers', async () => {
    if (child.exitCode !== null) throw new Error(`versitygw ended with ${child.exitCode}.`);
    return await client.reach().then(
      () => true,
      () => false,
    );
  });
  return {
    target,
    env: {
      REGISTRY_S3_BUCKET: target.bucket,
      REGISTRY_S3_ENDPOINT: endpoint,
      ...(prefix === '' ? {} : { REGISTRY_S3_PREFIX: prefix }),
      REGISTRY_S3_ACCESS_KEY_ID: accessKeyId,
      REGISTRY_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    client,
    keys: async (beginning = '') => {
      const keys: string[] = [];
      for await (const page of client.list(beginning)) keys.push(...page.map(({ key }) => key));
      return keys;
    },
    uploads: async () => {
      const ids: string[] = [];
      for await (const page of client.listMultipart('')) ids.push(...page.map(({ uploadId }) => uploadId));
      return ids;
    },
    stop: async () => {
      await client.close();
      child.kill('SIGKILL');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
