import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { type BuilderGround, type Built, builderGround } from '../../test/builders/builder-ground.ts';
import { processesWith } from '../../test/builders/processes-with.ts';
import { until } from '../../test/ground/until.ts';
import { type RegistryWorld, registryWorld } from '../../test/registry/registry-world.ts';
import { notRun } from '../../test/run/not-run.ts';
import { openSandbox } from './sandbox/sandbox.ts';

let world: RegistryWorld;
let ground: BuilderGround;
/** Several tests look at this one: a first image on a machine takes seconds. */
let built: Built;
const owned = temporaryFolder();
const why = await reasonAgainst();
const building = test.skipIf(why !== undefined);

beforeAll(async () => {
  const caFile = join(owned, 'own.pem');
  writeFileSync(caFile, 'AN AUTHORITY OF THE OWNER\n');
  world = await registryWorld();
  ground = await builderGround(world, { caFile });
  if (why === undefined) built = await ground.build(source, asked({}));
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

const token = 'tok_\'q"&%/:+z9';
/** One that its source has, too. */
const written = 'swordfish-of-the-source';
/** The forms of a secret that logs hide, with colours within, too. */
const saying = `const t = process.env.TOKEN, b = Buffer.from(t), e = '\\x1b[1m';
  console.log(t); console.log(t.slice(0, 4) + e + t.slice(4)); console.log(b.toString('base64'), b.toString('hex'));
  process.stderr.write(encodeURIComponent(t)); console.log(JSON.stringify({ t }));
  process.stdout.write(t.slice(0, 5)); setTimeout(() => console.log(t.slice(5)), 50);`;
const count = '$(grep -c -e AUTHORITY -e BEGIN';
const source = {
  'package.json': JSON.stringify({
    name: 'app',
    scripts: {
      build: [
        `echo "plain=$PLAIN home=$HOME env=$NODE_ENV" && node build.js`,
        `echo node ${count} $NODE_EXTRA_CA_CERTS)`,
        `for file in $SSL_CERT_FILE $REQUESTS_CA_BUNDLE; do grep OWNER $file && echo whole ${count} $file); done`,
      ].join(' && '),
      start: 'node server.js',
    },
    devDependencies: { tool: 'file:./tool' },
  }),
  'build.js': `require('fs').writeFileSync('made.txt', 'made'); console.log('zażółć'); console.log(require('tool')); ${saying}`,
  'server.js': '',
  '.env.example': 'DATABASE_URL=\nTOKEN_OF_MAIL=your-token\nLEVEL=info\n',
  Procfile: `web: npm start\nrelease: npm start -- --once\nworker: A=${written} node worker.js\n`,
  'tool/package.json': JSON.stringify({ name: 'tool', version: '1.0.0', main: 'index.js' }),
  'tool/index.js': "module.exports = 'tool of development'",
};
const asked = (more: Record<string, string>) => {
  const usual = { PLAIN: 'shown-in-logs', TOKEN: token, WRITTEN: written, HOME: '/nowhere', NODE_ENV: 'production' };
  return { body: { variables: { ...usual, npm_config_audit: 'false', ...more }, secrets: ['TOKEN', 'WRITTEN'] } };
};
function expectHidden(one: Built): void {
  const told = stripVTControlCharacters(one.log + JSON.stringify([one.result, one.progress]));
  const forms = [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)];
  forms.push(...(['base64', 'hex'] as const).map((form) => Buffer.from(token).toString(form)));
  for (const form of forms) expect(told).not.toContain(form);
}

building('an application is built and pushed; the log, steps and digest are told, and nothing is left', async () => {
  expect(built.result, built.log).toEqual({ outcome: 'done', exitCode: 0 });
  expect(built.log).toContain('==> build: npm run build\n');
  expect(built.log).toMatch(/^Limits: \S+ [GM]B of memory, \S+ [GM]B of disk, \S+ min/m);
  expect(built.log).toContain('\nzażółć\n');
  const last = built.progress.findLast((one) => one.steps !== undefined)?.steps ?? [];
  expect(last.map(({ name, status }) => `${name} ${status}`)).toEqual(steps.map((name) => `${name} succeeded`));
  expect(last.every(({ startedAt, finishedAt = '' }) => startedAt <= finishedAt)).toBe(true);
  expect(built.progress.find(({ detection }) => detection)?.detection).toMatchObject({
    provider: 'node',
    buildable: true,
  });
  const { proposed, ...asking } = built.progress.findLast(({ detection }) => detection)?.detection ?? {};
  expect(asking).toMatchObject({ envTemplate: '.env.example', requiredVariables: ['DATABASE_URL', 'TOKEN_OF_MAIL'] });
  // Of the image that was built; what holds a secret is told without it.
  expect(proposed).toEqual([
    {
      ...{ name: 'release', line: 'npm start -- --once' },
      command: ['/usr/local/bin/node', 'server.js', '--once'],
    },
    {
      ...{ name: 'worker', line: 'A=[secret] node worker.js' },
      command: ['/bin/sh', '-c', expect.stringMatching(/&& A=\[secret\] (?:exec )?node worker\.js$/)],
    },
  ]);
  expect(built.progress.at(-1)).toEqual({ image: { digest: built.digest } });
  const answer = await world.client().ask('GET', `manifests/${built.digest}`);
  expect(answer.headers.get('docker-content-digest')).toBe(built.digest);
  expect(ground.left()).toEqual([]);
});

building('variables are there for its commands; secrets are told nowhere, and the image has none of it', async () => {
  expect(built.log).toContain('plain=shown-in-logs home=/home/build env=production\n');
  expect(built.log).toContain('\ntool of development\n');
  expectHidden(built);
  type Manifest = { manifests?: { digest: string }[]; config?: { digest: string }; layers?: { digest: string }[] };
  const index: Manifest = JSON.parse(await bodyOf(`manifests/${built.digest}`));
  const manifest: Manifest = index.manifests
    ? JSON.parse(await bodyOf(`manifests/${index.manifests[0]?.digest}`))
    : index;
  const blobs = await Promise.all(
    [manifest.config, manifest.layers?.at(-1)].map((one) => bodyOf(`blobs/${one?.digest}`)),
  );
  for (const text of blobs) for (const value of [token, 'shown-in-logs']) expect(text).not.toContain(value);
});

async function bodyOf(what: string): Promise<string> {
  const answer = await world.client().ask('GET', what);
  return answer.bytes.toString('latin1');
}

building('programs of a build trust the authorities of the machine and those of its agent', async () => {
  expect(built.log).toContain('\nnode 1\n');
  expect(built.log.match(/^AN AUTHORITY OF THE OWNER\nwhole (?:[2-9]|\d{2,})$/gm)).toHaveLength(2);
});

building(
  'a failure names the step, how it ended, what to do, and its last lines, without the secret in them',
  async () => {
    const files = { 'build.js': `${saying} setTimeout(() => require('left-pad'), 100)` };
    const failed = await ground.build(app('echo compiling; node build.js', files), asked({}));
    const { result, progress } = failed;
    expect(result.outcome).toBe('failed');
    expect(result.message).toMatch(
      /^The step build failed: its command exited with code 1\. left-pad is not there: add it/,
    );
    expect(result.message).toContain("Error: Cannot find module 'left-pad'");
    expect(result.message).toContain('[secret]');
    expectHidden(failed);
    const last = progress.findLast((one) => one.steps !== undefined)?.steps?.at(-1);
    expect(last).toMatchObject({ name: 'build', status: 'failed', finishedAt: expect.any(String) });
    // Those of the build before are there.
    expect(progress.findLast(({ cache }) => cache)?.cache).toEqual({ cachedSteps: 1, totalSteps: 2 });
    expect(ground.left()).toEqual([]);
  },
);

building('what cannot be built says why: nothing known, a Dockerfile', async () => {
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
  const far = await ground.build(app('true'), { body: { context: '../..' } });
  expect(far.result.message).toMatch(/^The step detect failed: The context/);
});

building('a version that the machine lacks is refused before a step runs, with what is there', async () => {
  const manifest = { name: 'app', engines: { node: '>=99' }, scripts: { build: 'true', start: 'node server.js' } };
  const newer = await ground.build({ 'package.json': JSON.stringify(manifest), 'server.js': '' });
  expect(newer.result.message).toBe(
    `The step tools failed: package.json asks for Node >=99, and builds of the cluster have ${process.versions.node}, that of its agent: update the agent, widen "engines", or build on a cluster with the driver docker.`,
  );
  expect(newer.log).not.toContain('==> install');
});

building('pages are built without a command, and what the registry has is not sent again', async () => {
  const page = { 'index.html': '<h1>Hello</h1>' };
  const first = await ground.build(page);
  expect(first.result, first.log).toEqual({ outcome: 'done', exitCode: 0 });
  // Node is that of the image before.
  expect(first.log).toMatch(/ 0\.\d MB of it new\n/);
  const again = await ground.build(page);
  expect(again.digest).toBe(first.digest);
  expect(again.log).toContain(`${first.digest}, nothing new in it`);
});

building('cancelled while a command runs, it leaves no process and no folder', async () => {
  const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
  const stopping = new AbortController();
  const preinstall = `sleep ${mark} & (setsid sleep ${mark} &) ; sleep ${mark}`;
  const files = { 'package.json': JSON.stringify({ name: 'app', scripts: { preinstall, start: 'node server.js' } }) };
  const cancelled = ground.build(app('true', files), { signal: stopping.signal });
  await until('it runs', async () => processesWith(mark).length > 1);
  stopping.abort();
  const { result, progress } = await cancelled;
  expect(result).toEqual({ outcome: 'cancelled' });
  const last = progress.findLast((one) => one.steps !== undefined)?.steps?.at(-1);
  expect(last).toMatchObject({ name: 'install', status: 'cancelled' });
  expect({ processes: processesWith(mark), left: ground.left() }).toEqual({ processes: [], left: [] });
});
