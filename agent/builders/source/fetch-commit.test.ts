import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { commitBuilds } from '../../../test/builders/commit-builds.ts';
import { type GitServer, gitServer } from '../../../test/git/git-server.ts';
import { type RegistryWorld, registryWorld } from '../../../test/registry/registry-world.ts';
import { testInAll } from '../../../test/run/matrix.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

const credential = { username: 'oauth2', password: 'glpat-0123456789abcdef' };
let world: RegistryWorld;
let ground: BuilderGround;
let git: GitServer;

const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
if ('why' in found) process.stdout.write(`NOT RUN: builds of commits: ${found.why}\n`);
const building = test.skipIf('why' in found);
const buildingInAll: typeof testInAll = (name, ...rest) => ('why' in found ? undefined : testInAll(name, ...rest));

beforeAll(async () => {
  world = await registryWorld();
  ground = await builderGround(world, { allowedRanges: ['127.0.0.0/8'] });
  const sign = `${credential.username}:${credential.password}`;
  git = await gitServer({
    credential: sign,
    closed: 'private/',
  });
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
buildingInAll('a commit is fetched, and its image is that of the same files uploaded', async () => {
  const first = await git.commit('team/app.git', page, { message: 'Say hello' });
  await git.commit('team/app.git', { 'index.html': 'later' });
  const built = await build('team/app.git', first);
  expect(built.result).toEqual({ outcome: 'done', exitCode: 0 });
  expect(built.log).toMatch(new RegExp(`${first} of 2026-.* by Ada: Say hello`));
  expect(built.progress).toContainEqual({ commit: { message: 'Say hello' } });
  expect(built.digest).toBe((await ground.build(page)).digest);
  expect(ground.left()).toEqual([]);
});

building('a private one by the credential, which its commands do not see and no file keeps', async () => {
  const look = `printenv BALLAST_GIT_PASSWORD || echo none; find / -name .git 2>/dev/null | grep -v /proc | head -1; git config -l 2>/dev/null; true`;
  const scripts = { build: look, start: 'node server.js' };
  const commit = await git.commit('private/app.git', {
    'package.json': JSON.stringify({ name: 'app', scripts }),
    'server.js': '',
  });
  const built = await build('private/app.git', commit, credential);
  expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
  expect(built.log).toMatch(/\nnone\n/);
  expect(built.log).not.toContain('/build/.git');
  expect(filesWith(ground.home, credential.password)).toEqual([]);
  await refused('private/app.git', commit, /^The step fetch failed: The repository is not there, or it is private/);
  await refused('private/app.git', commit, /the token of the Git connection may not read it/, {
    ...credential,
    password: 'wrong-password-of-it',
  });
});

/** All files beneath the folder that have the text. */
function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(directory, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path).includes(text);
  });
}

buildingInAll('a commit that its host does not give by name is looked for in the branch, ever deeper', async () => {
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
