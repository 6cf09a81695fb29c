import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../test/clusters/joined-cluster.ts';

const joined = await joinedCluster();
afterAll(() => joined.close());
const run = (words: string, input?: string) => joined.ballast(words.split(' '), input === undefined ? {} : { input });

test('a credential is added for a project, shown with it, opened to others, and removed', async () => {
  for (const name of ['Shop', 'Blog']) expect((await run(`project create ${name}`)).code).toBe(0);
  expect((await run('registry-credential list')).out).toContain('There is no registry credential yet');
  const add = 'registry-credential add --name Ours --host ghcr.io --username ada --password-stdin';
  const added = await run(`${add} --project shop`, 'hunter2\n');
  expect(added.out, added.err).toMatch(/^The registry credential Ours for ghcr\.io is added: [0-9a-f-]{36}\.\n$/);
  const list = await run('registry-credential list');
  expect(list.out).toMatch(/\nOurs +ghcr\.io +ada +not checked +shop +[0-9a-f-]{36}/);
  const set = 'registry-credential set ours';
  const told = (projects: string) => `Projects that may use the registry credential Ours: ${projects}.\n`;
  expect((await run(`${set} --project blog --project shop`)).out).toMatch(/: (shop, blog|blog, shop)\.\n$/);
  expect((await run(`${set} --no-project`)).out).toBe(told('none'));
  expect((await run(`${set} --all-projects`)).out).toBe(told('all'));
  const json = await run(`${set} --project blog --json`);
  expect(JSON.parse(json.out)).toMatchObject({ credential: { allProjects: false, projectIds: [expect.any(String)] } });
  expect([
    await run(set),
    await run(`${set} --project nothing`),
    await run(`${set} --no-project --all-projects`),
  ]).toEqual([
    expect.objectContaining({ code: 2, err: expect.stringContaining('Say which projects may use it') }),
    expect.objectContaining({ code: 2, err: expect.stringContaining('There is no project "nothing"; there is: ') }),
    expect.objectContaining({ code: 2, err: expect.stringContaining('one of them') }),
  ]);
  const away = 'registry-credential add --name Away --host 127.0.0.1:9 --username ada --password-stdin';
  expect((await run(away, 'hunter2\n')).code).toBe(0);
  const checked = await run('registry-credential check away');
  expect(checked).toMatchObject({
    code: 1,
    err: expect.stringMatching(/The registry credential Away fails: .*127\.0\.0\.1/),
  });
  expect((await run('registry-credential list')).out).toMatch(/\nAway +127\.0\.0\.1:9 +ada +failing/);
  for (const { out, err } of [added, list, json, checked]) expect(out + err).not.toContain('hunter2');
  expect((await run('registry-credential remove ours --yes')).out).toBe('The registry credential Ours is deleted.\n');
});
