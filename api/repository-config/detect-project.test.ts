import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { gitServer } from '../../test/git/git-server.ts';
import { authority } from '../../test/ground/authority.ts';
import { runningApi } from '../../test/installation/running-api.ts';

let gitConnectionId = '';
const directory = mkdtempSync(join(tmpdir(), 'ballast-detect-'));
const { ca, certify } = await authority();
const caFile = join(directory, 'ca.pem');
writeFileSync(caFile, ca);
const api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', OUTBOUND_CA_FILE: caFile } });
const ours = await api.organization();
const git = await gitServer({ credential: 'ada:swordfish', certificate: await certify('127.0.0.1') });
await git.create('team/app.git');
await git.create('team/empty.git');
const { body } = await ours.tokens.admin.post('/git-connections/selfhosted-token', {
  host: new URL(git.url).host,
  label: 'Ours',
  token: 'ada:swordfish',
});
gitConnectionId = String(body.id);
afterAll(async () => {
  await git.close();
  await api.close();
  rmSync(directory, { recursive: true });
});

const detect = (body: object) => ours.tokens.deployer.post('/repository-config/detect-project', body);

test('a branch is told as a build would see it, with its template of variables', async () => {
  const manifest = { scripts: { start: 'node server.js' }, dependencies: { express: '5' } };
  const commit = await git.commit('team/app.git', {
    'apps/web/package.json': JSON.stringify(manifest),
    'apps/web/package-lock.json': '{"lockfileVersion":3}',
    'apps/web/server.js': "require('express')().listen(process.env.PORT)",
    'apps/web/.env.example': '# Of the shop\nSHOP_URL=\n',
    'apps/web/Procfile': 'web: npm start\nrelease: node migrate.js\nworker: node worker.js\n',
    '.env.example': 'OTHER=',
  });
  const asked = { gitConnectionId, repository: 'team/app', branch: 'main', context: 'apps/web' };
  const { status, body, text } = await detect(asked);
  expect(status, text).toBe(200);
  expect(body).toMatchObject({
    ...{
      commit,
      message: '',
      result: { provider: 'node', framework: 'express', packageManager: 'npm', buildable: true },
    },
    envTemplate: {
      ...{ reason: '', message: '', keys: [{ key: 'SHOP_URL', comment: 'Of the shop', required: true }] },
      source: { commit, path: 'apps/web/.env.example', repository: 'team/app' },
    },
  });
  expect(body.result).toMatchObject({
    ...{ envTemplate: 'apps/web/.env.example', requiredVariables: ['SHOP_URL'] },
    proposed: [
      { name: 'release', line: 'node migrate.js', command: [] },
      { name: 'worker', line: 'node worker.js', command: [] },
    ],
    signals: expect.arrayContaining([
      { path: 'apps/web/Procfile', detail: 'A process is proposed: worker: node worker.js' },
    ]),
  });
  // The only application in the folder is looked at, and its template with it.
  const only = await detect({ ...asked, context: 'apps' });
  expect(only.body).toMatchObject({ envTemplate: { source: { path: 'apps/web/.env.example' } } });
  expect(text).not.toContain('swordfish');
  await git.commit('team/app.git', { 'README.md': 'Nothing' }, { branch: 'other' });
  ok(await detect({ ...asked, branch: 'other', context: 'apps' }));
});

test.each([
  [{ repository: 'team/app', branch: 'none' }, 'branch', 'is no branch of the repository; there are'],
  [{ repository: 'team/other', branch: 'main' }, 'repository', 'is not there'],
  [{ repository: 'team/empty', branch: 'main' }, 'repository', 'push a commit first'],
  [{ repository: '../x', branch: 'main' }, 'repository', 'must be the full name'],
  [{ branch: 'main' }, 'repository', 'must be there'],
])('%j is refused at %s', async (more, field, why) => {
  const { status, body } = await detect({ gitConnectionId, ...more });
  expect(status).toBe(422);
  expect(body.errors).toEqual([
    expect.objectContaining({ location: `body.${field}`, message: expect.stringContaining(why) }),
  ]);
});

test.each([
  ['https://169.254.169.254/a/b', 'is a private address'],
  ['ssh://git@github.com/a/b', 'not reached by ssh'],
  ['ext::sh', 'helpers of git'],
  ['--upload-pack=x', 'begins with -'],
])('the address %s is refused', async (gitUrl, why) => {
  const { status, text } = await detect({ gitUrl, branch: 'main' });
  expect([status, text]).toEqual([422, expect.stringContaining(why)]);
});

test('branches of a public repository are listed, and which of them a clone checks out', async () => {
  const open = await gitServer();
  try {
    await open.create('team/shop.git');
    await open.commit('team/shop.git', { 'index.html': 'Hello' });
    await open.commit('team/shop.git', { 'index.html': 'Hi' }, { branch: 'next' });
    const list = (gitUrl: string) => ours.tokens.deployer.post('/repository-config/branches', { gitUrl });
    const { status, body, text } = await list(`${open.url}/team/shop.git`);
    expect([status, body], text).toMatchObject([200, { branches: ['main', 'next'], defaultBranch: 'main' }]);
    const missing = await list(`${open.url}/team/none.git`);
    expect([missing.status, missing.text]).toEqual([422, expect.stringContaining('or it is private')]);
    const secret = await list('https://ada:swordfish@git.example.com/team/shop.git');
    expect([secret.status, secret.text]).toEqual([422, expect.stringContaining('no user name and no password')]);
    expect(secret.text).not.toContain('swordfish');
  } finally {
    await open.close();
  }
});

test('a public address is read without a connection, and a private one says so', async () => {
  const { status, text } = await detect({ gitUrl: `${git.url}/team/app.git`, branch: 'main' });
  expect([status, text]).toEqual([422, expect.stringContaining('or it is private')]);
});
