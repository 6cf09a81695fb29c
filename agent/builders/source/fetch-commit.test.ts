import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { commitBuilds } from '../../../test/builders/commit-builds.ts';
import { type GitServer, gitServer, redirecting } from '../../../test/git/git-server.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

const credential = { username: 'oauth2', password: 'glpat-0123456789abcdef' };
let ground: BuilderGround;
let git: GitServer;

const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
if ('why' in found) notRun('builds of commits', found.why);
const building = test.skipIf('why' in found);

// Nothing comes as far as a push.
const noRegistry = {
  api: { url: 'http://127.0.0.1:9' },
  repository: { path: 'o/p/web' },
  organization: { tokens: { deployer: { token: 'none', id: 'none' } } },
};
beforeAll(async () => {
  ground = await builderGround(noRegistry, { allowedRanges: ['127.0.0.0/8'] });
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
});

const { build, refused } = commitBuilds(
  () => ground,
  () => git,
);
building('a private one by the credential, which its commands do not see and no file keeps', async () => {
  const look = `printenv BALLAST_GIT_PASSWORD || echo none; find / \\( -path /proc -o -path /usr -o -path /opt \\) -prune -o -name .git -print 2>/dev/null | head -1; git config -l 2>/dev/null; exit 3`;
  const scripts = { build: look, start: 'node server.js' };
  const commit = await git.commit(
    'private/app.git',
    {
      'package.json': JSON.stringify({ name: 'app', scripts }),
      'server.js': '',
    },
    { message: 'Say hello' },
  );
  const built = await build('private/app.git', commit, credential);
  // An image of it is made in fetch-commit.all.test.ts.
  expect(built.result.message, built.log).toContain('The step build failed: its command exited with code 3');
  expect(built.log).toMatch(new RegExp(`${commit} of 2026-.* by Ada: Say hello`));
  expect(built.progress).toContainEqual({ commit: { message: 'Say hello' } });
  expect(built.log).toMatch(/\nnone\n/);
  expect(built.log).not.toContain('/build/.git');
  expect(filesWith(ground.home, credential.password)).toEqual([]);
  await refused('private/app.git', commit, /^The step fetch failed: The repository is not there, or it is private/);
  await refused('private/app.git', commit, /the token of the Git connection may not read it/, {
    ...credential,
    password: 'wrong-password-of-it',
  });
});

building('a redirect to an address that builds may not reach names it', async () => {
  const { log } = await refused('away/app.git', 'a'.repeat(40), /network of builds refused an address: 10\.1\.2\.3/);
  expect(log.match(/^network: /gm)).toHaveLength(1);
});

/** All files beneath the folder that have the text. */
function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(directory, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path).includes(text);
  });
}
