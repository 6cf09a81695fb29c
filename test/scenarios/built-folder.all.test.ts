import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';
import { runBallast } from '../installation/ballast-command.ts';
import { Installation } from '../installation/installation.ts';

let installation: Installation;
let env: Record<string, string>;
const directory = mkdtempSync(join(tmpdir(), 'ballast-folder-'));

beforeAll(async () => {
  installation = await Installation.start('built-folder', {
    LOCAL_CLUSTER: 'true',
    LOCAL_DRIVER: 'process',
    INGRESS_PORT: String(await freePort()),
  });
  const { token } = await installation.token('admin');
  env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
  await until('the local cluster is ready', async () =>
    / ready /.test((await runBallast(['cluster', 'list'], env)).stdout),
  );
});
afterAll(async () => {
  await installation?.remove();
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
  const words = ['deploy', folder(name, files), '--project', name, '--service', 'web', '--yes', '--json'];
  const { code, stdout, stderr } = await runBallast(words, env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { addresses }: { addresses: string[] } = JSON.parse(stdout);
  const { hostname, port } = new URL(addresses[0] ?? '');
  const answer = await through(`http://127.0.0.1:${port}`, hostname);
  expect(answer.body).toBe(body);
});
