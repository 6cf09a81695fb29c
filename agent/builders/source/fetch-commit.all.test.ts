import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { commitBuilds } from '../../../test/builders/commit-builds.ts';
import { type GitServer, gitServer } from '../../../test/git/git-server.ts';
import { type RegistryWorld, registryWorld } from '../../../test/registry/registry-world.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

let world: RegistryWorld;
let ground: BuilderGround;
let git: GitServer;

const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
if ('why' in found) notRun('builds of commits', found.why);
const building = test.skipIf('why' in found);

beforeAll(async () => {
  world = await registryWorld();
  ground = await builderGround(world, { allowedRanges: ['127.0.0.0/8'] });
  git = await gitServer();
});
afterAll(async () => {
  await git.close();
  await ground.close();
  await world.close();
});

const { build, refused } = commitBuilds(
  () => ground,
  () => git,
);
const page = { 'index.html': '<h1>Hello</h1>' };
building('a commit is fetched, and its image is that of the same files uploaded', async () => {
  const first = await git.commit('team/app.git', page, { message: 'Say hello' });
  await git.commit('team/app.git', { 'index.html': 'later' });
  const built = await build('team/app.git', first);
  expect(built.result).toEqual({ outcome: 'done', exitCode: 0 });
  expect(built.log).toMatch(new RegExp(`${first} of 2026-.* by Ada: Say hello`));
  expect(built.progress).toContainEqual({ commit: { message: 'Say hello' } });
  expect(built.digest).toBe((await ground.build(page)).digest);
  expect(ground.left()).toEqual([]);
});

building('a commit that its host does not give by name is looked for in the branch, ever deeper', async () => {
  const server = await gitServer({ firstVersionOnly: true });
  try {
    const first = await server.commit('team/app.git', { 'index.html': 'first' });
    for (let more = 1; more < 60; more += 1) await server.commit('team/app.git', { 'index.html': `${more}` });
    const built = await build('team/app.git', first, { server });
    expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
    await refused('team/app.git', 'a'.repeat(40), /is not in refs\/heads\/main of the repository any more/, { server });
  } finally {
    await server.close();
  }
});
