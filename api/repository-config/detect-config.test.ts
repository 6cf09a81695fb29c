import { afterAll, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { gitServer } from '../../test/git/git-server.ts';
import { runningApi } from '../../test/installation/running-api.ts';

let gitConnectionId = '';
let commit = '';
const api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
const ours = await api.organization();
const git = await gitServer({ credential: 'ada:swordfish' });
await git.create('team/app.git');
commit = await git.commit('team/app.git', {
  'ballast.yaml': 'target: runtime\nservices: {api: {context: apps/api}, site: {}}\ndatabases: [sqldb]\n',
  'apps/web/ballast.yml': 'processes: {web: {port: 3000, checks: {readiness: /up}}}\nenv: {LEVEL: 1.0}\n',
  'apps/broken/ballast.yaml': 'target: a\nprocesses:\n  web:\n    prot: 80\n',
  'apps/large/ballast.yaml': `# ${'x'.repeat(300_000)}`,
});
const { body } = await ours.tokens.admin.post('/git-connections/selfhosted-token', {
  host: git.url,
  label: 'Ours',
  token: 'ada:swordfish',
});
gitConnectionId = String(body.id);
afterAll(async () => {
  await git.close();
  await api.close();
});

async function detect(branch: string, context?: string) {
  const asked = { gitConnectionId, repository: 'team/app', branch, ...(context === undefined ? {} : { context }) };
  return ok(await ours.tokens.deployer.post('/repository-config/detect', asked));
}

test('the file of the context is read, or else that of the root, which lists services and databases', async () => {
  expect(await detect('main')).toMatchObject({
    ...{ status: 'ok', source: 'git', commit, path: 'ballast.yaml', problems: [] },
    summary: 'The file sets the Dockerfile, stage runtime.',
    message: expect.stringContaining('listed and not created'),
    ...{ base: { builder: 'dockerfile', target: 'runtime' }, services: ['api', 'site'], databases: ['sqldb'] },
  });
  expect(await detect('main', 'apps/api')).toMatchObject({ path: 'ballast.yaml' });
  expect(await detect('main', './apps/web/')).toMatchObject({
    ...{ status: 'ok', path: 'apps/web/ballast.yml', services: [], message: '' },
    base: { env: { LEVEL: '1.0' }, processes: [{ name: 'web', port: 3000, checks: { readiness: '/up' } }] },
  });
});

test('a branch without a file is told to have none', async () => {
  await git.commit('team/app.git', { 'README.md': 'Nothing' }, { branch: 'bare' });
  expect(await detect('bare', 'x')).toMatchObject({
    ...{ status: 'absent', source: '', path: '', problems: [], message: '' },
    summary: expect.stringContaining('neither in x nor at its root'),
  });
});

test('a file with problems says each with its line, and nothing of it counts', async () => {
  expect(await detect('main', 'apps/broken')).toMatchObject({
    ...{ status: 'invalid', source: 'git', path: 'apps/broken/ballast.yaml', base: { target: '', builder: '' } },
    message: expect.stringMatching(
      /^apps\/broken\/ballast\.yaml cannot be used at line 4: processes\.web\.prot: "prot" is no key/,
    ),
    problems: [{ line: 4, path: 'processes.web.prot', message: expect.stringContaining('Did you mean "port"?') }],
  });
});

test('a large file is invalid', async () => {
  expect(await detect('main', 'apps/large')).toMatchObject({
    status: 'invalid',
    problems: [{ line: 0, message: expect.stringContaining('larger than 24 KiB') }],
  });
});
