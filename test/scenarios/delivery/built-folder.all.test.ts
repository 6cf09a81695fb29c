import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { BuildingCluster } from '../../builds/building-cluster.ts';

const directory = mkdtempSync(join(tmpdir(), 'ballast-folder-'));

const building = await BuildingCluster.start('built-folder');
afterAll(async () => {
  await building.close();
  rmSync(directory, { recursive: true });
});

function folder(name: string, files: Record<string, string>): string {
  mkdirSync(join(directory, name), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name, path)), { recursive: true });
    writeFileSync(join(directory, name, path), content);
  }
  return join(directory, name);
}

const scripts = { build: "node -e \"fs.writeFileSync('made','built here')\"", start: 'node server.js' };
const app = {
  'package.json': JSON.stringify({ name: 'app', scripts }),
  'server.js': `require('http').createServer((q, a) => a.end(require('fs').readFileSync('made'))).listen(process.env.PORT)`,
};

test.each([
  ['an application', 'app', app, 'built here'],
  ['pages', 'pages', { 'index.html': '<h1>Served</h1>' }, '<h1>Served</h1>'],
])('%s that nobody prepared is built on the cluster and answers', async (_, name, files, body) => {
  const answer = await building.deploy(folder(name, files), '--project', name, '--service', 'web', '--yes');
  expect((await answer()).body).toBe(body);
});

test('of a folder with several applications the one that is named is built, and stays chosen', async () => {
  const several = folder('several', {
    'apps/shop/index.html': '<h1>The shop</h1>',
    'apps/shop/package.json': '{"name":"shop"}',
    'apps/api/package.json': app['package.json'],
    'apps/api/server.js': app['server.js'],
  });
  const of = ['--project', 'several', '--yes'];
  const api = await building.deploy(several, '--context', 'apps/api', ...of);
  expect((await api()).body).toBe('built here');
  // The folder remembers the service, and the service its folder within.
  writeFileSync(join(several, 'apps/api/package.json'), app['package.json'].replace('built here', 'built again'));
  const again = await building.deploy(several, ...of);
  expect((await again()).body).toBe('built again');
  const shop = await building.deploy(several, '--context', 'apps/shop', ...of);
  expect((await shop()).body).toBe('<h1>The shop</h1>');
  expect((await again()).body).toBe('built again');
});
