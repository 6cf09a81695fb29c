import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround, settings, tarOf } from '../../test/builders/builder-ground.ts';
import { processesWith } from '../../test/builders/processes-with.ts';
import { type RegistryWorld, registryWorld, tokenOf } from '../../test/registry/registry-world.ts';
import { cellsOf, testInAll } from '../../test/run/matrix.ts';
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
  if ('why' in found) process.stdout.write(`NOT RUN: builds: ${found.why}\n`);
  return 'why' in found ? found.why : undefined;
}

const app = (build: string, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify({ name: 'app', scripts: { build, start: 'node server.js' } }),
  'server.js': "require('http').createServer((q, a) => a.end('hello')).listen(process.env.PORT)",
  ...more,
});
const steps = ['fetch', 'detect', 'tools', 'install', 'build', 'image', 'push'];

building(
  'an application is built and pushed; the log, the steps and the digest are told, and nothing is left',
  async () => {
    const source = app('node build.js', {
      'build.js': "require('fs').writeFileSync('made.txt', 'made'); console.log('zażółć')",
    });
    const built = await ground.build(source);
    expect(built.result).toEqual({ outcome: 'done', exitCode: 0 });
    expect(built.log).toContain('==> build: npm run build\n');
    expect(built.log).toContain('\nzażółć\n');
    const last = built.progress.findLast((one) => one.steps !== undefined)?.steps ?? [];
    expect(last.map(({ name, status }) => `${name} ${status}`)).toEqual(steps.map((name) => `${name} succeeded`));
    expect(last.every(({ startedAt, finishedAt = '' }) => startedAt <= finishedAt)).toBe(true);
    expect(built.progress.find(({ detection }) => detection)?.detection).toMatchObject({
      provider: 'node',
      buildable: true,
    });
    expect(built.progress.at(-1)).toEqual({ image: { digest: built.digest } });
    const answer = await world.client().ask('GET', `manifests/${built.digest}`);
    expect(answer.headers.get('docker-content-digest')).toBe(built.digest);
    expect(ground.left()).toEqual([]);

    // Without any cache the same comes out, and nothing of it is sent again.
    rmSync(join(ground.home, 'build-caches'), { recursive: true });
    const again = await ground.build(source);
    expect(again.digest).toBe(built.digest);
    expect(again.log).toContain(`${built.digest}, nothing new in it`);
  },
);

building('a failure names the step, how it ended, what to do, and its last lines', async () => {
  const { result, progress } = await ground.build(app('echo compiling; node --eval "require(\'left-pad\')"'));
  expect(result.outcome).toBe('failed');
  expect(result.message).toMatch(
    /^The step build failed: its command exited with code 1\. left-pad is not there: add it/,
  );
  expect(result.message).toContain("Error: Cannot find module 'left-pad'");
  const last = progress.findLast((one) => one.steps !== undefined)?.steps?.at(-1);
  expect(last).toMatchObject({ name: 'build', status: 'failed', finishedAt: expect.any(String) });
  expect(ground.left()).toEqual([]);
});

building('what cannot be built says why: nothing known, a Dockerfile, a link out of the result', async () => {
  const nothing = await ground.build({ 'notes.txt': 'nothing' });
  expect(nothing.result.message).toMatch(/^The step detect failed: Nothing that can be built was found/);
  const dockerfile = await ground.build({}, { body: { builder: 'dockerfile' } });
  expect(dockerfile.result).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('builds no Dockerfiles'),
  });
  const alone = await ground.build({ Dockerfile: 'FROM scratch\nCMD ["/run"]\n' });
  expect(alone.result.message).toMatch(
    /^The step detect failed: This cluster builds no Dockerfiles: that takes an agent with the driver docker\. Without/,
  );
  const broken = await ground.build({ ...app('true'), 'ballast.yaml': 'enf: {}' });
  expect(broken.result.message).toMatch(/^The step detect failed: ballast\.yaml cannot be used at line 1: enf: /);
  expect(broken.progress).toContainEqual({ repositoryConfig: { path: 'ballast.yaml', text: 'enf: {}' } });
  const asking = await ground.build({ ...app('true'), 'ballast.yaml': 'builder: dockerfile' });
  expect(asking.result.message).toMatch(/^The step detect failed: This cluster builds no Dockerfiles/);
  const link = await ground.build(app('ln -s /etc/shadow shadow'));
  expect(link.result.message).toMatch(
    /^The step image failed: "shadow" is a link to "\/etc\/shadow", which is not in the image/,
  );
  const far = await ground.build(app('true'), { body: { context: '../..' } });
  expect(far.result.message).toMatch(/^The step detect failed: The context/);
});

building(
  'variables are there for the commands of a source; secrets are told nowhere, and the image has none of it',
  async () => {
    const token = 'tok_\'q"&%/:+z9';
    const source = {
      'package.json': JSON.stringify({
        name: 'app',
        scripts: {
          // The second one is what the log would hide by colours alone.
          build: `echo "plain=$PLAIN home=$HOME env=$NODE_ENV"; node show.js && node -e "console.log(require('tool'))"`,
          start: 'node server.js',
        },
        devDependencies: { tool: 'file:./tool' },
      }),
      'show.js': `const t = process.env.TOKEN, b = Buffer.from(t), e = '\\x1b[1m';
        console.log(t); console.log(t.slice(0, 4) + e + t.slice(4)); console.log(b.toString('base64'), b.toString('hex'));
        process.stderr.write(encodeURIComponent(t)); console.log(JSON.stringify({ t }));
        process.stdout.write(t.slice(0, 5)); setTimeout(() => console.log(t.slice(5)), 50);
        if (process.env.FAIL) { console.error('failed with ' + t.slice(0, 4) + e + t.slice(4)); process.exit(1) }`,
      'server.js': '',
      'tool/package.json': JSON.stringify({ name: 'tool', version: '1.0.0', main: 'index.js' }),
      'tool/index.js': "module.exports = 'tool of development'",
    };
    const asked = (more: Record<string, string>) => ({
      body: {
        variables: {
          PLAIN: 'shown-in-logs',
          TOKEN: token,
          HOME: '/nowhere',
          NODE_ENV: 'production',
          npm_config_audit: 'false',
          ...more,
        },
        secrets: ['TOKEN'],
      },
    });
    const built = await ground.build(source, asked({}));
    expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
    expect(built.log).toContain('plain=shown-in-logs home=/home/build env=production\n');
    expect(built.log).toContain('\ntool of development\n');
    const failed = await ground.build(source, asked({ FAIL: 'yes' }));
    expect(failed.result.message).toMatch(/^The step build failed.*failed with \[secret\]/s);
    const told = [built, failed].map((one) =>
      stripVTControlCharacters(one.log + JSON.stringify([one.result, one.progress])),
    );
    const forms = [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)];
    forms.push(...(['base64', 'hex'] as const).map((form) => Buffer.from(token).toString(form)));
    for (const form of forms) for (const text of told) expect(text).not.toContain(form);
    // Neither it nor the caches know with which variables it was made.
    const other = await ground.build(source, asked({ TOKEN: 'another-one', PLAIN: 'other' }));
    expect(other.digest).toBe(built.digest);
    type Manifest = { manifests?: { digest: string }[]; config?: { digest: string }; layers?: { digest: string }[] };
    const index: Manifest = JSON.parse(await bodyOf(`manifests/${built.digest}`));
    const manifest: Manifest = index.manifests
      ? JSON.parse(await bodyOf(`manifests/${index.manifests[0]?.digest}`))
      : index;
    const blobs = await Promise.all(
      [manifest.config, manifest.layers?.at(-1)].map((one) => bodyOf(`blobs/${one?.digest}`)),
    );
    for (const text of blobs) for (const value of [token, 'shown-in-logs']) expect(text).not.toContain(value);
  },
);

async function bodyOf(what: string): Promise<string> {
  const answer = await world.client().ask('GET', what);
  return answer.bytes.toString('latin1');
}

testInAll('a build that takes too long, in all of it, ends with that', async () => {
  const limits = { ...ground.body().limits, seconds: 4 };
  const { result } = await ground.build(app('sleep 1000'), { body: { limits } });
  expect(result.outcome).toBe('failed');
  expect(result.message).toMatch(/4 s|longest that a build may take/);
  expect(ground.left()).toEqual([]);
});

/** A build that says so when it has come to this step, and would take for ever there if that is `build`. */
const endless = (mark: string) => app(`sleep ${mark} & (setsid sleep ${mark} &) ; sleep ${mark}`);
const patient = app('true');

for (const step of cellsOf(steps, (one) => one === 'build')) {
  building(`cancelled in the step ${step}, it leaves no process, no folder and no lock`, async () => {
    const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
    const stopping = new AbortController();
    const { result, progress } = await ground.build(step === 'build' ? endless(mark) : patient, {
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
    expect({ processes: processesWith(mark), left: ground.left() }).toEqual({ processes: [], left: [] });
    // Its caches are free again.
    if (step === 'build') expect((await ground.build(patient)).result.outcome).toBe('done');
  });
}

for (const step of cellsOf(steps, () => false)) {
  building(`killed in the step ${step}, an agent leaves what its successor clears: nothing stays`, async () => {
    const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
    const id = randomUUID();
    ground.serve(id, await tarOf(step === 'build' ? endless(mark) : patient));
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
  });
}

test('programs of a build trust the authorities of the machine and those of its agent', async () => {
  const caFile = join(ground.home, 'own.pem');
  writeFileSync(caFile, 'AN AUTHORITY OF THE OWNER\n');
  const trusting = await builderGround(world, { caFile });
  try {
    const count = '$(grep -c -e AUTHORITY -e BEGIN';
    const script = `echo node ${count} $NODE_EXTRA_CA_CERTS) && for file in $SSL_CERT_FILE $REQUESTS_CA_BUNDLE; do grep OWNER $file && echo whole ${count} $file); done`;
    const { result, log } = await trusting.build(app(script));
    expect(result, log).toEqual({ outcome: 'done', exitCode: 0 });
    expect(log).toContain('\nnode 1\n');
    expect(log.match(/^AN AUTHORITY OF THE OWNER\nwhole (?:[2-9]|\d{2,})$/gm)).toHaveLength(2);
  } finally {
    await trusting.close();
  }
});

testInAll(
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
