import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BuildingCluster } from '../../builds/building-cluster.ts';

let building: BuildingCluster;
const directory = mkdtempSync(join(tmpdir(), 'ballast-folder-'));

beforeAll(async () => {
  building = await BuildingCluster.start('built-folder');
});
afterAll(async () => {
  await building?.close();
  rmSync(directory, { recursive: true });
});

function folder(name: string, files: Record<string, string>): string {
  mkdirSync(join(directory, name), { recursive: true });
  for (const [path, content] of Object.entries(files)) writeFileSync(join(directory, name, path), content);
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
