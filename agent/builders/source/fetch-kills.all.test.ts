import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { commitBuilds } from '../../../test/builders/commit-builds.ts';
import { processesWith } from '../../../test/builders/processes-with.ts';
import { type EndlessRepository, endlessRepository } from '../../../test/git/endless-repository.ts';
import { type GitServer, gitServer } from '../../../test/git/git-server.ts';
import { until } from '../../../test/ground/until.ts';
import { type RegistryWorld, registryWorld, tokenOf } from '../../../test/registry/registry-world.ts';
import { notRun } from '../../../test/run/not-run.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

const MB = 2 ** 20;
const commit = 'a'.repeat(40);
const program = new URL('../../../test/builders/builder-program.ts', import.meta.url).pathname;
let world: RegistryWorld;
let ground: BuilderGround;
let git: GitServer;
let host: EndlessRepository;

const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
if ('why' in found) notRun('kills while a commit is fetched', found.why);
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
afterEach(() => host.close());
const { build, refused, source } = commitBuilds(
  () => ground,
  () => git,
);

const unreachable = /The host of the repository could not be reached, sent nothing for too long, or broke off: retry/;
/** Git has the address among its words. */
const nothingLeft = () => until('nothing of it is left', async () => processesWith(host.url).length === 0);
const inTheMiddle = () => until('it is in the middle', async () => host.sent() > MB);

building(
  'a host that dies in the middle, cuts the connection, or is not there: the build fails and says to retry',
  async () => {
    host = await endlessRepository({ bytes: 8 * MB, stalled: true });
    const cut = refused('team/app.git', commit, unreachable, { server: host });
    await inTheMiddle();
    await host.close();
    await cut;
    await nothingLeft();
    await refused('team/app.git', commit, unreachable, { server: host });
    host = await endlessRepository({ bytes: 8 * MB });
    await refused('team/app.git', commit, unreachable, { server: host });
    await nothingLeft();
  },
);

building('a host that sends nothing for ever is given up, in the middle or from the beginning', async () => {
  host = await endlessRepository({ bytes: 8 * MB, stalled: true });
  const limits = { seconds: 20 };
  await refused('team/app.git', commit, unreachable, { server: host, limits });
  await nothingLeft();
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as { port: number };
  await refused('team/app.git', commit, unreachable, { server: { url: `http://127.0.0.1:${port}` }, limits });
  silent.close();
});

building('cancelled in the middle it ends at once, and its time limit ends it', async () => {
  host = await endlessRepository({ bytes: 8 * MB, stalled: true });
  const stopping = new AbortController();
  const cancelled = build('team/app.git', commit, { server: host, more: { signal: stopping.signal } });
  await inTheMiddle();
  stopping.abort();
  expect((await cancelled).result).toEqual({ outcome: 'cancelled' });
  await nothingLeft();
  expect(ground.left()).toEqual([]);
  const late = await build('team/app.git', commit, { server: host, limits: { seconds: 1 } });
  expect(late.result.message).toMatch(/took longer than 1 s|ended after 1 s|sent nothing for too long/);
  await nothingLeft();
  expect(ground.left()).toEqual([]);
});

building('an agent that is killed in the middle leaves no process, and its next start clears the rest', async () => {
  host = await endlessRepository({ bytes: 8 * MB, stalled: true });
  const words = (at: ReturnType<typeof source>) => {
    const credential = tokenOf(world.organization.tokens.deployer);
    return [program, ground.home, ground.url, credential, randomUUID(), JSON.stringify(ground.body({ source: at }))];
  };
  const agent = spawn(process.execPath, words(source('team/app.git', commit, { server: host })), { stdio: 'ignore' });
  await inTheMiddle();
  expect(ground.left()).not.toEqual([]);
  agent.kill('SIGKILL');
  await once(agent, 'exit');
  await nothingLeft();
  await until('no connection is left', async () => (await host.open()) === 0);
  const good = await git.commit('team/app.git', { 'index.html': '<h1>Hello</h1>' });
  const next = spawn(process.execPath, words(source('team/app.git', good)), { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(await text(next.stdout)).toContain('{"outcome":"done","exitCode":0}');
  expect(ground.left()).toEqual([]);
});
