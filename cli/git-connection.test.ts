import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../test/clusters/joined-cluster.ts';
import { gitServer } from '../test/git/git-server.ts';

const git = await gitServer({ credential: 'ada:hunter2' });
const joined = await joinedCluster({ OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
afterAll(async () => {
  await joined.close();
  await git.close();
});
const run = (words: string[], input?: string) =>
  joined.ballast(['git-connection', ...words], input === undefined ? {} : { input });

test('a host is added with its token by input, looked at, and removed', async () => {
  await git.create('team/app.git');
  await git.commit('team/app.git', { 'a.txt': 'a' });
  expect((await run(['list'])).out).toContain('There is no Git connection yet');
  const added = await run(['add', '--host', git.url, '--label', 'Ours', '--token-stdin'], 'ada:hunter2\n');
  expect(added).toMatchObject({ code: 0, out: `The Git connection Ours to ${git.url} is added.\n` });
  expect((await run(['check', 'ours'])).out).toBe('The Git connection Ours works.\n');
  expect((await run(['branches', 'ours', 'team/app'])).out).toBe('* main\n');
  expect((await run(['repositories', 'ours'])).out).toBe('Its host has no list of repositories; name them.\n');
  const webhook = await run(['webhook', 'ours', '--json']);
  expect(JSON.parse(webhook.out)).toEqual({
    webhookUrl: expect.stringContaining('/webhooks/git/'),
    secret: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const [list, json] = await Promise.all([run(['list']), run(['list', '--json'])]);
  expect(list.out).toMatch(/\nOurs +http:\/\/127\S+ +plain +- +all +token not checked +never/);
  for (const { out, err } of [added, list, json]) expect(out + err).not.toContain('hunter2');
  expect((await joined.ballast(['project', 'create', 'Shop'])).code).toBe(0);
  const limited = await run(['set', 'ours', '--project', 'shop']);
  expect(limited.out, limited.err).toBe('Projects that may use the Git connection Ours: shop.\n');
  expect((await run(['list'])).out).toMatch(/\nOurs +http:\/\/127\S+ +plain +- +shop /);
  const named = ['add', '--host', git.url, '--label', 'Its', '--project', 'shop', '--token-stdin', '--json'];
  expect(JSON.parse((await run(named, 'ada:hunter2\n')).out)).toMatchObject({ connection: { allProjects: false } });
  expect((await run(['remove', 'its', '--yes'])).code).toBe(0);
  expect((await run(['remove', 'ours', '--yes'])).out).toBe('The Git connection Ours is deleted.\n');
});

test('what cannot be meant is said in a sentence', async () => {
  const told = await Promise.all([
    run(['add', '--label', 'x']),
    run(['add', '--host', 'git.example.com'], 'x'),
    run(['add', '--host', git.url, '--label', 'x'], ''),
    run(['add', '--host', '10.0.0.1', '--label', 'x'], 'hunter2'),
    run(['check', 'nothing']),
  ]);
  expect(told.map(({ code, err }) => [code, err])).toEqual([
    [2, expect.stringContaining('Say the host')],
    [2, expect.stringContaining('Say what it is called')],
    [2, expect.stringContaining('There is no token')],
    [1, expect.stringContaining('is a private address')],
    [2, expect.stringContaining('There is no Git connection "nothing"; there is: none.')],
  ]);
  expect(told.map(({ err }) => err).join('')).not.toContain('hunter2');
});
