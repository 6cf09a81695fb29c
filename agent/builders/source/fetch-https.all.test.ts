import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { commitBuilds } from '../../../test/builders/commit-builds.ts';
import { type GitServer, gitServer, redirecting } from '../../../test/git/git-server.ts';
import { type Authority, authority } from '../../../test/ground/authority.ts';
import { type RegistryWorld, registryWorld } from '../../../test/registry/registry-world.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

const signIn = { username: 'oauth2', password: 'glpat-0123456789abcdef' };
const allowedRanges = ['127.0.0.0/8'];
const page = { 'index.html': '<h1>Hello</h1>' };
const directory = temporaryFolder();
let trusted: Authority;
let world: RegistryWorld;
let ground: BuilderGround;
let git: GitServer;
/** Another origin, which asks for a credential. */
let elsewhere: GitServer;
let plain: GitServer;

const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
if ('why' in found) notRun('builds of commits by https', found.why);
const building = test.skipIf('why' in found);

beforeAll(async () => {
  trusted = await authority();
  const caFile = join(directory, 'ca.pem');
  writeFileSync(caFile, trusted.ca);
  world = await registryWorld();
  ground = await builderGround(world, { allowedRanges, caFile });
  const certificate = await trusted.certify('127.0.0.1');
  [plain, elsewhere] = [await gitServer(), await gitServer({ certificate, credential: 'somebody:else' })];
  const ways = [
    redirecting('/to-http', () => plain.url),
    redirecting('/to-private', () => 'https://10.1.2.3'),
    redirecting('/to-other', () => elsewhere.url),
  ];
  git = await gitServer({
    ...{ certificate, credential: `${signIn.username}:${signIn.password}`, closed: 'team/' },
    before: (request, response) => ways.some((way) => way(request, response)),
  });
});
afterAll(async () => {
  for (const server of [git, elsewhere, plain]) await server.close();
  await ground.close();
  await world.close();
});
const { build, refused } = commitBuilds(
  () => ground,
  () => git,
);

building(
  'a private repository is fetched by https, with the authority that the owner of the machine trusts',
  async () => {
    const commit = await git.commit('team/app.git', page, { message: '\n  \nSay hello\nand more' });
    const built = await build('team/app.git', commit, signIn);
    expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
    expect(built.progress).toContainEqual({ commit: { message: 'Say hello' } });
  },
);

building('an authority that is not trusted is named, with what to do; so are a date and a name', async () => {
  const stranger = await builderGround(world, { allowedRanges });
  const theirs = commitBuilds(
    () => stranger,
    () => git,
  );
  const asked = git.asked.length;
  try {
    await theirs.refused(
      'team/app.git',
      'a'.repeat(40),
      /Builds cannot read from 127\.0\.0\.1:\d+: its certificate is signed by "Authority [-\w]+", which is not trusted; the owner of the cluster can add that authority to the file of --build-ca-file of its agent\./,
      signIn,
    );
    expect(git.asked).toHaveLength(asked);
  } finally {
    await stranger.close();
  }
  for (const [certificate, why] of [
    [await trusted.certifyExpired('127.0.0.1'), /its certificate expired on \d{4}-\d\d-\d\d; renew it there/],
    [await trusted.certify('git.example.com'), /its certificate is for another name/],
  ] as const) {
    const server = await gitServer({ certificate });
    await refused('team/app.git', 'a'.repeat(40), why, { ...signIn, server });
    expect(server.asked).toEqual([]);
    await server.close();
  }
});

building(
  'a redirect to http, to a private address or elsewhere takes neither the build nor the credential',
  async () => {
    await refused('to-http/app.git', 'a'.repeat(40), /leads to "http", and builds fetch by https alone/, signIn);
    expect(plain.asked).toEqual([]);
    await refused('to-private/app.git', 'a'.repeat(40), /network of builds refused an address: 10\.1\.2\.3/, signIn);
    await refused('to-other/app.git', 'a'.repeat(40), /is not there, or the token/, signIn);
    expect(elsewhere.asked.length).toBeGreaterThan(0);
    expect(elsewhere.asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  },
);
