import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround, settings, tarOf } from '../../test/builders/builder-ground.ts';
import { processesWith } from '../../test/builders/processes-with.ts';
import { type RegistryWorld, registryWorld, tokenOf } from '../../test/registry/registry-world.ts';
import { notRun } from '../../test/run/not-run.ts';
import { Client } from '../link/client.ts';
import { Builders } from './builders.ts';
import { openSandbox } from './sandbox/sandbox.ts';

let world: RegistryWorld;
let ground: BuilderGround;
const why = await reasonAgainst();
const building = test.skipIf(why !== undefined);

beforeAll(async () => {
  world = await registryWorld();
  ground = await builderGround(world);
});

afterAll(async () => {
  await ground.close();
  await world.close();
});

/** Said, and not skipped in silence, on machines without namespaces. */
async function reasonAgainst(): Promise<string | undefined> {
  const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
  if ('why' in found) notRun('builds', found.why);
  return 'why' in found ? found.why : undefined;
}

const app = (build: string, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify({ name: 'app', scripts: { build, start: 'node server.js' } }),
  'server.js': "require('http').createServer((q, a) => a.end('hello')).listen(process.env.PORT)",
  ...more,
});
const steps = ['fetch', 'detect', 'tools', 'install', 'build', 'image', 'push'];

building('neither an image nor its caches know with which variables it was made', async () => {
  const asked = (token: string) => ({
    body: { variables: { TOKEN: token, PLAIN: `of ${token}` }, secrets: ['TOKEN'] },
  });
  const built = await ground.build(app('echo $TOKEN'), asked('the-first-one'));
  expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
  expect((await ground.build(app('echo $TOKEN'), asked('another-one'))).digest).toBe(built.digest);
  rmSync(join(ground.home, 'build-caches'), { recursive: true });
  expect((await ground.build(app('echo $TOKEN'), asked('a-third-one'))).digest).toBe(built.digest);
});

building('a link that a build has made, out of its result, ends it', async () => {
  const link = await ground.build(app('ln -s /etc/shadow shadow'));
  expect(link.result.message).toMatch(
    /^The step image failed: "shadow" is a link to "\/etc\/shadow", which is not in the image/,
  );
});

building('a build that takes too long, in all of it, ends with that', async () => {
  const limits = { ...ground.body().limits, seconds: 4 };
  const { result } = await ground.build(app('sleep 1000'), { body: { limits } });
  expect(result.outcome).toBe('failed');
  expect(result.message).toMatch(/4 s|longest that a build may take/);
  expect(ground.left()).toEqual([]);
});

/** A build that says so when it has come to this step, and would take for ever there if that is `build`. */
const endless = (mark: string) => app(`sleep ${mark} & (setsid sleep ${mark} &) ; sleep ${mark}`);
const quick = app('true');

building.each(steps.filter((one) => one !== 'install'))(
  'cancelled when the step %s begins, it leaves no process, no folder and no lock',
  async (step) => {
    const stopping = new AbortController();
    const { result, progress } = await ground.build(quick, {
      signal: stopping.signal,
      onLog: (text) => {
        if (text.includes(`==> ${step}`)) stopping.abort();
      },
    });
    expect(result).toEqual({ outcome: 'cancelled' });
    expect(progress.findLast((one) => one.steps !== undefined)?.steps?.at(-1)).toMatchObject({
      name: step,
      status: 'cancelled',
    });
    expect(ground.left()).toEqual([]);
    // Its caches are free again.
    expect((await ground.build(quick)).result.outcome).toBe('done');
  },
);

building.each(steps)(
  'killed in the step %s, an agent leaves what its successor clears: nothing stays',
  async (step) => {
    const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
    const id = randomUUID();
    ground.serve(id, await tarOf(step === 'build' ? endless(mark) : quick));
    const program = join(import.meta.dirname, '../../test/builders/builder-program.ts');
    const credential = tokenOf(world.organization.tokens.deployer);
    const words = [program, ground.home, ground.url, credential, id, JSON.stringify(ground.body())];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += text;
      if (said.includes(`==> ${step}`)) break;
    }
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
    expect(said).toContain(`==> ${step}`);
    const client = new Client({ url: ground.url, credential: () => credential });
    const next = new Builders({ home: ground.home, client, driver: 'process', settings });
    expect(await next.holds()).toEqual({ holds: true });
    client.close();
    expect({ processes: processesWith(mark), left: ground.left() }).toEqual({ processes: [], left: [] });
  },
);

building(
  'an application with a package of the registry, and pages, are built, and the second time from caches',
  async () => {
    // Where this machine has an authority of its own, or reaches registries at private addresses.
    const { NODE_EXTRA_CA_CERTS: caFile } = process.env;
    const reached = await builderGround(world, { caFile, allowedRanges: ['0.0.0.0/0'] });
    try {
      const source = {
        ...app('node -e "console.log(require(\'is-odd\')(3))"'),
        'package.json': JSON.stringify({
          name: 'app',
          scripts: { build: 'node -e "console.log(require(\'is-odd\')(3))"', start: 'node server.js' },
          dependencies: { 'is-odd': '3.0.1' },
        }),
      };
      const built = await reached.build(source);
      expect(built.result).toEqual({ outcome: 'done', exitCode: 0 });
      expect(built.log).toContain('\ntrue\n');
      const again = await reached.build(source);
      expect(again.digest).toBe(built.digest);
      expect(again.progress.findLast(({ cache }) => cache)?.cache).toEqual({ cachedSteps: 1, totalSteps: 2 });
      const pinned = {
        ...source,
        'package.json': JSON.stringify({ ...JSON.parse(source['package.json']), packageManager: 'pnpm@9.15.4' }),
      };
      const other = await reached.build(pinned);
      expect(other.log).toContain('pnpm 9.15.4 is fetched');
      expect(other.result).toEqual({ outcome: 'done', exitCode: 0 });
      const pages = await reached.build({ 'index.html': '<h1>Hello</h1>' });
      expect(pages.result).toEqual({ outcome: 'done', exitCode: 0 });
    } finally {
      await reached.close();
    }
  },
);
