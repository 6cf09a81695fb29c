import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinedCluster } from '../test/clusters/joined-cluster.ts';
import { authority } from '../test/ground/authority.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../test/registry/bucket.ts';

const joined = await joinedCluster({ OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
afterAll(() => joined.close());
const run = (words: string, input?: string) => joined.ballast(words.split(' '), input === undefined ? {} : { input });

test('a command line that cannot be right is said before anything is asked', async () => {
  expect((await run('store list')).out).toContain('There is no object store yet; see `./ballast store add --help`.');
  const refused = async (words: string, message: string) =>
    expect(await run(words, 'x')).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  await refused('store add --name Ours --secret-stdin', 'Say all of --name NAME, --endpoint URL, --bucket BUCKET and');
  await refused(
    'store add --name Ours --addressing both --secret-stdin',
    'Say --addressing path or --addressing host.',
  );
  await refused('store add --name Ours --ca-file nothing.pem', 'nothing.pem cannot be read (ENOENT)');
  await refused('store verify ours', 'There is no object store "ours"');
});

describe.skipIf(!bucketsAreThere)('a real store', () => {
  let bucket: Bucket;
  let file = '';
  beforeAll(async () => {
    const { ca, certify } = await authority();
    bucket = await startBucket('', { ca, ...(await certify('127.0.0.1')) });
    file = join(joined.directory, 'ca.pem');
    writeFileSync(file, ca);
  });
  afterAll(() => bucket.stop());

  test('is added with its own authority, fails with a reason, is corrected, and removed', async () => {
    const { endpoint, accessKeyId, secretAccessKey } = bucket.target;
    const where = `--endpoint ${endpoint} --bucket pushed --access-key-id ${accessKeyId} --ca-file ${file}`;
    const wrong = await run(`store add --name Ours ${where} --secret-stdin`, 'hunter2-hunter2\n');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toMatch(
      /The object store Ours fails: Writing a probe failed: .*SignatureDoesNotMatch.*\. Correct it with `\.\/ballast store set Ours`, then try `\.\/ballast store verify Ours`\./,
    );
    expect((await run('store list')).out).toMatch(
      /\nOurs +pushed +https:\/\/127\.0\.0\.1:\d+ +failing +Writing a probe/,
    );
    const set = await run('store set ours --secret-stdin', `${secretAccessKey}\n`);
    expect(set).toMatchObject({ code: 0, out: 'The object store Ours is changed, and works.\n' });
    const moved = await run(
      `store set ours --prefix acme --bucket pushed --json --secret-stdin`,
      `${secretAccessKey}\n`,
    );
    expect(JSON.parse(moved.out)).toMatchObject({ objectStore: { prefix: 'acme', lastError: '' } });
    expect((await run('store verify ours')).out).toBe('The object store Ours works.\n');
    expect((await run('store list')).out).toMatch(/\nOurs +pushed\/acme +https:\/\/127\.0\.0\.1:\d+ +working/);
    expect((await run('store set ours')).err).toContain('Say what is to be changed');
    expect((await run('store remove ours --yes')).out).toBe('The object store Ours is deleted.\n');
    for (const { out, err } of [wrong, set, moved]) expect(out + err).not.toMatch(/hunter2|the-secret-access-key/);
    expect(await bucket.keys()).toEqual([]);
  });
});
