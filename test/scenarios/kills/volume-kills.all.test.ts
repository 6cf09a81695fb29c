import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { type PartName, partNames } from '../../installation/running-parts.ts';
import { bucketsAreThere } from '../../registry/bucket.ts';
import { type HeldBucket, startHeldBucket } from '../../registry/held-bucket.ts';

const noiseBytes = 48 * 1024 * 1024;
/** Two files that are written together, beside noise that takes its time; it answers for two seconds after it is asked to end. */
const server = `
const { randomBytes } = require('node:crypto');
const { readFileSync, writeFileSync } = require('node:fs');
const path = (name) => process.env.VOLUME_DATA + '/' + name;
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 2000));
require('node:http').createServer((asked, answer) => {
  const { pathname, searchParams } = new URL(asked.url, 'http://a');
  if (pathname === '/write') for (const name of ['one', 'two']) writeFileSync(path(name), searchParams.get('text'));
  if (pathname === '/noise') writeFileSync(path('noise'), randomBytes(${noiseBytes}));
  answer.end(pathname === '/read' ? readFileSync(path('one'), 'utf8') + ' ' + readFileSync(path('two'), 'utf8') : 'ok');
}).listen(process.env.PORT);`;
const place = ['--project', 'kills', '--service', 'web'];

interface Transfer {
  id: string;
  status: string;
  message: string;
  stoppedSeconds?: number;
}

describe.skipIf(!bucketsAreThere)('a volume and a store', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-volume-kills-'));
  const files = {
    'package.json': JSON.stringify({ name: 'app', scripts: { start: 'node server.js' } }),
    'server.js': server,
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(directory, path), content);
  const bucket: HeldBucket = await startHeldBucket();
  const cluster = await BuildingCluster.start('volume-kills', { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
  const { installation } = cluster;
  afterAll(async () => {
    await cluster.close();
    await bucket.stop();
    rmSync(directory, { recursive: true });
  });

  const said = async (...words: string[]) => {
    const { code, stdout, stderr } = await cluster.ballast(...words);
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout;
  };
  await cluster.deploy(directory, ...place, '--yes');
  await said('volume', 'add', 'data=/app/data', '--size', '1G', ...place);
  const ask = await cluster.deploy('--staged', ...place, '--yes', '--accept-downtime');
  const { accessKeyId, secretAccessKey } = bucket.target;
  const store = { name: 'ours', endpoint: bucket.endpoint, bucket: bucket.target.bucket, accessKeyId, secretAccessKey };
  const added = await cluster.call<{ id: string; lastError: string }>('POST', '/object-stores', {
    ...{ ...store, certificateAuthority: bucket.ca, forcePathStyle: true },
  });
  expect(added.lastError).toBe('');
  const { volumes } = JSON.parse(await said('volume', 'list', ...place, '--json')) as { volumes: { id: string }[] };
  const volumeId = volumes[0]?.id ?? '';
  const { items: environments } = await cluster.call<{ items: { id: string; slug: string }[] }>(
    'GET',
    `/projects/${(await cluster.call<{ items: { id: string }[] }>('GET', '/projects')).items[0]?.id}/environments`,
  );
  const environmentId = environments.find(({ slug }) => slug === 'staging')?.id ?? '';

  const answer = async (path: string) => (await ask(path)).body;
  const read = () =>
    installation.until(
      'the application answers',
      async () => (await answer('/read').catch(() => '')).match(/^\w+ \w+$/)?.[0],
    );
  const find = (path: string) => cluster.call<Transfer>('GET', path).catch(() => undefined);
  const isOver = (one: Transfer) => ['succeeded', 'failed', 'cancelled'].includes(one.status);
  const ended = (path: string) =>
    installation.until(`${path} is over`, async () => {
      const one = await find(path);
      return one !== undefined && isOver(one) && one;
    });
  const backUp = (more: object = {}) =>
    cluster.call<Transfer>('POST', `/volumes/${volumeId}/backups`, { environmentId, objectStoreId: added.id, ...more });
  const restore = (backupId: string) =>
    cluster.call<Transfer>('POST', `/volumes/${volumeId}/restore`, { environmentId, backupId });

  await installation.until('the application answers', async () => (await answer('/noise').catch(() => '')) === 'ok');
  await answer('/write?text=old');
  const kept = await backUp();
  expect(await ended(`/volume-backups/${kept.id}`)).toMatchObject({ status: 'succeeded', message: '' });
  beforeEach(async () => {
    bucket.letGo();
    await answer('/write?text=new');
  });

  /** Beside the volumes of the service, what is no volume. */
  function left(): string[] {
    const all = join(realpathSync(join(installation.home, 'agent')), 'volumes');
    return readdirSync(all).flatMap((key) =>
      key.startsWith('.') ? [key] : readdirSync(join(all, key)).filter((name) => name.startsWith('.')),
    );
  }

  /** In the store are whole backups alone, each with its description. */
  async function storeIsWhole(): Promise<void> {
    const { items } = await cluster.call<{ items: { status: string; objectKey: string }[] }>('GET', '/volume-backups');
    const whole = items
      .filter(({ status }) => status === 'succeeded')
      .flatMap(({ objectKey }) => [objectKey, `${objectKey}.json`]);
    await installation.until('nothing else is in the store', async () => {
      const [keys, uploads] = [await bucket.keys(), await bucket.uploads()];
      return JSON.stringify([keys.sort(), uploads]) === JSON.stringify([whole.sort(), []]);
    });
  }

  async function kill(parts: readonly PartName[], supervisor: boolean): Promise<void> {
    const before = new Map<PartName, number>(parts.map((part) => [part, installation.parts.pid(part)]));
    installation.parts.kill(...parts, ...(supervisor ? (['supervisor'] as const) : []));
    if (supervisor) {
      await installation.ended();
      await installation.start();
    } else for (const part of parts) await installation.replaced(part, before.get(part) ?? 0);
    await installation.ready();
  }

  test('a volume is backed up and restored by commands while it serves, and what it had comes back from Deleted', async () => {
    const made = JSON.parse(await said('backup', 'create', 'data', '--wait', '--json', ...place)) as {
      backup: Transfer;
    };
    await answer('/write?text=lost');
    const out = await said('backup', 'restore', made.backup.id, '--yes', '--wait');
    expect(out).toMatch(/^The volume data is restored\. Its processes stood still for \d+\.\d s\.\n/);
    expect(await read()).toBe('new new');
    const deleted = JSON.parse(await said('deleted', 'list', '--json')) as {
      deleted: { id: string; detail: string }[];
    };
    const [replaced] = deleted.deleted.filter(({ detail }) => detail.endsWith('replaced by a restore'));
    await said('deleted', 'restore', replaced?.id ?? '');
    await installation.until('it has what it had', async () => (await read()) === 'lost lost');
    await storeIsWhole();
  });

  const kills: { what: string; parts: readonly PartName[]; supervisor?: boolean }[] = [
    ...partNames.map((part) => ({ what: part, parts: [part] })),
    { what: 'the agent', parts: ['agent'] },
    { what: 'the supervisor and all parts', parts: [...partNames, 'agent'], supervisor: true },
  ];
  const survives = (parts: readonly PartName[]) => !parts.includes('agent');

  test.each(kills)(
    'kill -9 of $what while a volume is backed up: the object is whole or absent',
    async ({ parts, supervisor = false }) => {
      bucket.hold(4 * 1024 * 1024);
      const { id } = await backUp();
      await installation.until('it is under way', async () => bucket.isHeld());
      await kill(parts, supervisor);
      bucket.letGo();
      const over = await ended(`/volume-backups/${id}`);
      if (survives(parts)) expect(over).toMatchObject({ status: 'succeeded', message: '' });
      else
        expect(over).toMatchObject({
          status: 'failed',
          message: expect.stringMatching(/interrupted in the backup; back up again\.$/),
        });
      await storeIsWhole();
      expect(await read()).toBe('new new');
    },
  );

  test.each(kills)(
    'kill -9 of $what while the process stands still for a backup: it serves again, and the object is whole or absent',
    async ({ parts, supervisor = false }) => {
      bucket.hold(4 * 1024 * 1024);
      const { id } = await backUp({ quiesce: true });
      await installation.until('it is under way', async () => bucket.isHeld());
      expect(await answer('/read').catch(() => '')).not.toBe('new new');
      await kill(parts, supervisor);
      bucket.letGo();
      const over = await ended(`/volume-backups/${id}`);
      expect(over.status).toBe(survives(parts) ? 'succeeded' : 'failed');
      if (survives(parts)) expect(over.stoppedSeconds).toBeGreaterThan(0);
      expect(await read()).toBe('new new');
      await storeIsWhole();
    },
  );

  test.each(kills)(
    'kill -9 of $what while a backup is fetched: old data or new ones, and it serves',
    async ({ parts, supervisor = false }) => {
      bucket.hold(4 * 1024 * 1024);
      const { id } = await restore(kept.id);
      await installation.until('it is under way', async () => bucket.isHeld());
      await kill(parts, supervisor);
      bucket.letGo();
      const over = await ended(`/volume-restores/${id}`);
      if (survives(parts)) expect(over).toMatchObject({ status: 'succeeded', message: '' });
      else
        expect(over).toMatchObject({
          status: 'failed',
          message: expect.stringContaining('The volume has the data that it had'),
        });
      expect(await read()).toBe(survives(parts) ? 'old old' : 'new new');
      await installation.until('nothing of it is left', async () => left().length === 0);
    },
  );

  test.each(kills)(
    'kill -9 of $what while the processes stand still: old data or new ones, and it serves',
    async ({ parts, supervisor = false }) => {
      const { id } = await restore(kept.id);
      await installation.until(
        'they are about to',
        async () => (await find(`/volume-restores/${id}`))?.status === 'replacing',
      );
      await kill(parts, supervisor);
      const over = await ended(`/volume-restores/${id}`);
      expect(['succeeded', 'failed']).toContain(over.status);
      if (survives(parts)) expect(over).toMatchObject({ status: 'succeeded', message: '' });
      expect(await read()).toBe(over.status === 'succeeded' ? 'old old' : 'new new');
      await installation.until('nothing of it is left', async () => left().length === 0);
    },
  );

  test('a store that cuts all connections in the middle of a restore is asked again from there', async () => {
    bucket.hold(4 * 1024 * 1024);
    const { id } = await restore(kept.id);
    await installation.until('it is under way', async () => bucket.isHeld());
    bucket.letGo();
    bucket.cut();
    expect(await ended(`/volume-restores/${id}`)).toMatchObject({ status: 'succeeded' });
    expect(await read()).toBe('old old');
  });
});
