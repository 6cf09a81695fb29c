import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { commitBuilds } from '../../../test/builders/commit-builds.ts';
import { type Entry, type GitServer, gitServer, redirecting } from '../../../test/git/git-server.ts';
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
    before: redirecting('/away', () => 'http://10.1.2.3'),
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

const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12345\n';
const lone = (url: string, commit = 'b'.repeat(40)): Record<string, Entry> => ({
  ...page,
  '.gitmodules': `[submodule "part"]\n\tpath = part\n\turl = ${url}\n`,
  part: { submodule: commit },
});
const hostile: [string, () => Record<string, Entry> | Promise<Record<string, Entry>>, RegExp][] = [
  ['an absolute link', () => ({ ...page, out: { link: '/etc/passwd' } }), /absolute link, "out"/],
  ['a link out of it', () => ({ ...page, 'a/out': { link: '../../..' } }), /leads out of the repository.*"a\/out"/],
  ['a pointer of LFS', () => ({ ...page, 'films/a b.mp4': pointer }), /"films\/a b\.mp4" is kept by Git LFS/],
  [
    'a submodule at a private address',
    () => lone('https://10.1.2.3/x.git'),
    /network of builds refused an address.*10\.1\.2\.3/,
  ],
  ['a submodule by ssh', () => lone('ssh://git@example.com/x.git'), /leads to "ssh", and builds fetch by https alone/],
  ['a submodule of this machine', () => lone('file:///etc'), /leads to "file"/],
  ['a submodule by a helper', () => lone('ext::sh -c touch% /tmp/ballast-hostile'), /leads to "ext"|submodule/],
  [
    'a private submodule',
    async () => lone('../../private/part.git', await git.commit('private/part.git', page)),
    /^The step fetch failed: The submodule "part" could not be fetched/,
  ],
];
for (const [name, files, message] of hostile)
  buildingInAll(`${name} is refused in words`, async () => {
    const at = `hostile/${name.replaceAll(' ', '-')}.git`;
    await refused(
      at,
      await git.commit(at, await files()),
      message,
      name.includes('private submodule') ? credential : {},
    );
  });

buildingInAll('a repository that is not there, is empty, is redirected or too large says so', async () => {
  await refused('no/such.git', 'a'.repeat(40), /The repository is not there/);
  await git.commit('empty/app.git', page);
  await git.git('empty/app.git', 'update-ref', '-d', 'refs/heads/main');
  await refused('empty/app.git', 'a'.repeat(40), /fetch failed/);
  await refused('away/app.git', 'a'.repeat(40), /network of builds refused an address.*10\.1\.2\.3/, credential);
  const large = await git.commit('large/app.git', { ...page, large: randomText(40_000_000) });
  await refused('large/app.git', large, /larger than 16 MB/, { limits: { diskBytes: 2 ** 24 } });
});

function randomText(length: number): string {
  return Array.from({ length: length / 8 }, () => Math.random().toString(36).slice(2, 10).padEnd(8, '0')).join('');
}

buildingInAll('names of branches and files are only names; a submodule beside it is fetched', async () => {
  const part = await git.commit('team/part.git', { 'part.html': 'part' });
  const ref = 'refs/heads/--upload-pack=touch';
  const files = {
    ...lone('../../team/part.git', part),
    'a\nb.html': 'of two lines',
    '--help': 'plain',
    'hooks/post-checkout': { executable: '#!/bin/sh\necho hooked' },
  };
  const commit = await git.commit('odd/app.git', files, { ref });
  const built = await build('odd/app.git', commit, { ref });
  expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
  expect(built.log).toMatch(/part/);
  expect(built.log).not.toContain('hooked');
});
