import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { commitBuilds } from '../../../test/builders/commit-builds.ts';
import { data } from '../../../test/git/commit-stream.ts';
import { endlessRepository } from '../../../test/git/endless-repository.ts';
import { type Entry, type GitServer, gitServer, redirecting } from '../../../test/git/git-server.ts';
import { type RegistryWorld, registryWorld } from '../../../test/registry/registry-world.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

const credential = { username: 'oauth2', password: 'glpat-0123456789abcdef' };
const MB = 2 ** 20;
let world: RegistryWorld;
let ground: BuilderGround;
let git: GitServer;

const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
if ('why' in found) notRun('builds of hostile repositories', found.why);
const building = test.skipIf('why' in found);

beforeAll(async () => {
  world = await registryWorld();
  ground = await builderGround(world, { allowedRanges: ['127.0.0.0/8'] });
  const sign = `${credential.username}:${credential.password}`;
  const before = redirecting('/away', () => 'http://10.1.2.3');
  git = await gitServer({ credential: sign, closed: 'private/', before });
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
const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12345\n';
const submodule = (url: string, commit = 'b'.repeat(40), more = ''): Record<string, Entry> => ({
  ...page,
  '.gitmodules': `[submodule "part"]\n\tpath = part\n\turl = ${url}\n${more}`,
  part: { submodule: commit },
});

/** Each is refused by the words. */
const hostile: Record<string, [Record<string, Entry>, RegExp]> = {
  'an absolute link': [{ ...page, out: { link: '/etc/passwd' } }, /absolute link, "out"/],
  'a link out of it': [{ ...page, 'a/out': { link: '../../..' } }, /leads out of the repository.*"a\/out"/],
  'a link in two steps': [{ ...page, a: { link: 'b/..' }, 'b/c': '', out: { link: 'a/../..' } }, /link/],
  'a pointer of LFS': [{ ...page, 'films/a b.mp4': pointer }, /"films\/a b\.mp4" is kept by Git LFS/],
  'a submodule at a private address': [
    submodule('https://10.1.2.3/x.git'),
    /network of builds refused an address.*10\.1\.2\.3/,
  ],
  'a submodule by ssh': [submodule('ssh://git@example.com/x.git'), /leads to "ssh", and builds fetch by https alone/],
  'a submodule of this machine': [submodule('file:///etc'), /leads to "file"/],
  'a submodule by a helper': [submodule('ext::sh -c touch% /tmp/ballast-hostile'), /leads to "ext"/],
  'a submodule by a path': [submodule('/etc'), /leads to "file"|submodule "part"/],
  'a submodule by an option': [submodule('--upload-pack=touch /tmp/ballast-hostile'), /begins with "-"/],
  'a submodule with a command': [
    submodule('../../team/app.git', 'b'.repeat(40), '\tupdate = !touch /tmp/ballast-hostile\n'),
    /submodule|git/,
  ],
  'a submodule whose name leads outside': [
    {
      ...submodule('https://example.com/x.git'),
      '.gitmodules': '[submodule "../../x"]\n\tpath = part\n\turl = https://example.com/x.git\n',
    },
    /[Ss]ubmodule/,
  ],
  'a path of 6,000 bytes': [{ ...page, [`${'deep/'.repeat(1_200)}file`]: 'x' }, /a path that is too long/],
  'a name of 300 bytes': [{ ...page, ['n'.repeat(300)]: 'x' }, /a path that is too long/],
  'a folder of git': [{ ...page, '.git/hooks/post-checkout': { executable: '#!/bin/sh\ntouch /tmp/x' } }, /"\.git\//],
};

describe.each(Object.entries(hostile))('%s', (name, [files, message]) => {
  building('is refused in words', async () => {
    const at = `hostile/${name.replaceAll(/[ ,]/g, '-')}.git`;
    const commit = await git.commit(at, files);
    await refused(at, commit, message);
    expect(existsSync('/tmp/ballast-hostile')).toBe(false);
  });
});

building(
  'a repository that is not there, is private, empty or redirected, and a private submodule, say so',
  async () => {
    const none = 'a'.repeat(40);
    await refused('no/such.git', none, /The repository is not there/);
    const part = await git.commit('private/part.git', page);
    await refused('private/part.git', part, /is not there, or it is private/);
    await git.create('empty/app.git');
    await refused('empty/app.git', none, /The branch "main" is not in the repository any more/);
    await refused('away/app.git', none, /network of builds refused an address.*10\.1\.2\.3/, credential);
    const whole = await git.commit('team/whole.git', submodule('../../private/part.git', part));
    await refused('team/whole.git', whole, /The submodule "part" could not be fetched/, credential);
  },
);

building('names of branches and files are only names; a submodule beside it is fetched', async () => {
  const part = await git.commit('team/part.git', { 'part.html': 'part' });
  const ref = 'refs/heads/--upload-pack=touch';
  const files = {
    ...submodule('../../team/part.git', part),
    'a\nb.html': 'of two lines',
    '--help': 'plain',
    'Page.html': 'one',
    'page.html': 'another',
    [`${'deep/'.repeat(100)}page.html`]: 'deep',
    'hooks/post-checkout': { executable: '#!/bin/sh\necho hooked' },
    '.gitattributes': '* filter=evil diff=evil merge=evil\n',
  };
  const commit = await git.commit('odd/app.git', files, { ref });
  const built = await build('odd/app.git', commit, { ref });
  expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
  expect(built.log).toMatch(/part/);
  expect(built.log).not.toContain('hooked');
  expect(built.log).toContain('10 files');
});

/** The head of a commit to the branch `main` in a stream of `git fast-import`. */
const commitTo = (ref: string) => [`commit ${ref}\ncommitter A <a@example.com> 1767268800 +0000\n`, ...data('Many')];
const names = Array.from({ length: 1_000 }, (_, n) => `n${n}`);

building('a million files in a small pack are refused before one is written', async () => {
  await git.fastImport('many/app.git', [
    ...['blob\nmark :1\n', ...data('x'), ...commitTo('refs/heads/folder')],
    ...names.map((name) => `M 100644 :1 ${name}\n`),
  ]);
  const tree = await git.git('many/app.git', 'rev-parse', 'refs/heads/folder^{tree}');
  const folders = names.map((name) => `M 040000 ${tree} ${name}\n`);
  await git.fastImport('many/app.git', [...commitTo('refs/heads/main'), ...folders]);
  const commit = await git.git('many/app.git', 'rev-parse', 'refs/heads/main');
  const { log } = await refused('many/app.git', commit, /The commit has more than 200000 files/);
  expect(log).not.toContain('by A: Many');
});

building('16 GB of zeros in a small pack are refused before one is written', async () => {
  await git.fastImport('zeros/app.git', [
    ...['blob\nmark :1\n', ...data(Buffer.alloc(16 * MB)), ...commitTo('refs/heads/main')],
    ...names.map((name) => `M 100644 :1 ${name}\n`),
  ]);
  const commit = await git.git('zeros/app.git', 'rev-parse', 'refs/heads/main');
  const { log } = await refused('zeros/app.git', commit, /The repository is larger than 2048 MB/);
  expect(log).not.toContain('by A: Many');
});

building('a repository of more than 2 GB is ended at the limit of every build, whatever it still sends', async () => {
  const server = await endlessRepository({ bytes: 100 * 2 ** 30 });
  try {
    const limits = { memoryBytes: 2_048 * MB, diskBytes: 8_192 * MB };
    const message = /larger than 2048 MB, all that the fetch of a commit may write/;
    await refused('team/app.git', 'a'.repeat(40), message, { server, limits });
    expect(server.sent()).toBeGreaterThan(2 ** 31);
    expect(server.sent()).toBeLessThan(2 ** 33);
    expect(await server.open()).toBe(0);
  } finally {
    await server.close();
  }
});

building('none of them has left anything outside of the folders of builds', () => {
  expect(
    readdirSync(ground.home).filter(
      (name) => !['builds', 'sandboxes', 'build-caches', 'build-base', 'tools'].includes(name),
    ),
  ).toEqual([]);
});
