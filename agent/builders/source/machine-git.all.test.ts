import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { commitBuilds } from '../../../test/builders/commit-builds.ts';
import { type GitServer, gitServer } from '../../../test/git/git-server.ts';
import { type RegistryWorld, registryWorld, tokenOf } from '../../../test/registry/registry-world.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

const directory = temporaryFolder();
const program = new URL('../../../test/builders/builder-program.ts', import.meta.url).pathname;
const places = ['/usr/local/bin/git', '/usr/bin/git', '/bin/git'].filter((path) => existsSync(path));
let world: RegistryWorld;
let ground: BuilderGround;
let git: GitServer;

const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
const why =
  'why' in found ? found.why : process.getuid?.() === 0 ? undefined : 'only root puts another git in its place';
if (why !== undefined) notRun('machines without git', why);
const building = test.skipIf(why !== undefined);

beforeAll(async () => {
  world = await registryWorld();
  ground = await builderGround(world);
  git = await gitServer();
});
afterAll(async () => {
  await git.close();
  await ground.close();
  await world.close();
});

/** The message of a build by an agent that sees this file in place of the machine's git. */
async function builtWith(file: string): Promise<string> {
  const source = commitBuilds(
    () => ground,
    () => git,
  ).source('team/app.git', 'a'.repeat(40));
  const body = JSON.stringify(ground.body({ source }));
  const credential = tokenOf(world.organization.tokens.deployer);
  const mounts = places.map((place) => `mount --bind ${file} ${place}`).join(' && ');
  const words = [process.execPath, program, ground.home, ground.url, credential, randomUUID(), body];
  const agent = spawn('unshare', ['--mount', 'sh', '-c', `${mounts} && exec "$@"`, 'sh', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await text(agent.stdout);
  return String((JSON.parse(said.trim().split('\n').at(-1) ?? '{}') as { message?: string }).message);
}

building('a machine without git, and one whose git is too old, say what to install, and nobody is asked', async () => {
  const [none, old] = ['none', 'old'].map((name) => join(directory, name)) as [string, string];
  writeFileSync(none, '', { mode: 0o644 });
  expect(await builtWith(none)).toMatch(/Git is missing on the machine of the cluster: install git there, then retry/);
  writeFileSync(old, '#!/bin/sh\necho git version 2.25.1\n', { mode: 0o755 });
  expect(await builtWith(old)).toMatch(/Git on the machine of the cluster is older than 2\.32: install a newer one/);
  writeFileSync(old, '#!/bin/sh\necho git version 1.99\n', { mode: 0o755 });
  expect(await builtWith(old)).toMatch(/older than 2\.32/);
  expect(git.asked).toEqual([]);
  expect(ground.left()).toEqual([]);
});
