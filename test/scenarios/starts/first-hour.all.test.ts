import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from '../../../machine/process-identity.ts';
import { officialArchive } from '../../../runtime/temporal-server/temporal-archive.ts';
import { findTemporal } from '../../../runtime/temporal-server/temporal-binary.ts';
import { through } from '../../agents/kept-machine.ts';
import { readmeCommands, readmeExample } from '../../applications/readme-example.ts';
import { until } from '../../ground/until.ts';
import { packRelease, type ReleaseHost, releaseHost } from '../../images/release-host.ts';
import type { RunningCommand } from '../../installation/ballast-command.ts';
import { NewMachine } from '../../machines/new-machine.ts';

/** Minutes of packages, downloads and first starts; it only ends what hangs. */
const longest = 1_800;

let host: ReleaseHost;
let machine: NewMachine;
let npm: RunningCommand;
/** The token that the README says to create. */
let token: string;

/** The README from its first command on, by a reader who has Node, npm and git and nothing else. */
beforeAll(async () => {
  host = await releaseHost();
  const scratch = mkdtempSync(join(tmpdir(), 'ballast-release-'));
  const found = await findTemporal({
    explicit: process.env.TEMPORAL_SERVER || undefined,
    progress: () => {},
    buildLog: join(scratch, 'build.log'),
  });
  const archive = host.release(basename(officialArchive()), await packRelease(found));
  rmSync(scratch, { recursive: true });
  machine = await NewMachine.prepare({ ca: host.ca, settings: { TEMPORAL_ARCHIVE: archive } });
  npm = machine.start(...(readmeCommands('npm start').trim().split(' ') as [string, ...string[]]));
  await until('it is ready', async () => npm.output().includes('Ballast is ready at') || npm.over(), longest);
}, longest * 1_000);
afterAll(async () => {
  if (npm !== undefined && !npm.over()) {
    process.kill(-npm.pid, 'SIGINT');
    await npm.ended;
  }
  await machine?.remove();
  await host?.close();
});

/** Lines that would frighten somebody who starts it for the first time. */
const trouble = () =>
  npm
    .output()
    .split('\n')
    .filter((line) => /error|fail|ended with code/i.test(line));

test('`npm start` ends ready, and no line sounds like trouble', () => {
  expect(npm.output()).toContain(`Ballast is ready at http://localhost:${machine.port}`);
  expect(npm.output()).toContain('Create the first account: http');
  expect(trouble()).toEqual([]);
});

test('the link for the first account opens, and the API has its reference', async () => {
  const link = /Create the first account: (\S+)/.exec(npm.output())?.[1] ?? '';
  const [page, reference] = await Promise.all(
    [link, `http://localhost:${machine.port}/docs`].map((address) => fetch(address)),
  );
  expect([page?.status, await page?.text()]).toEqual([200, expect.stringContaining('action="/sign-in-link"')]);
  expect([reference?.status, await reference?.text()]).toEqual([200, expect.stringContaining('Idempotency-Key')]);
});

test('a token, and the API by it', async () => {
  const block = readmeCommands('api/v1/teams').replaceAll('localhost:8088', `localhost:${machine.port}`);
  const [create = '', placeholder = '', ...calls] = block.split('\n').filter((line) => line !== '');
  expect(placeholder).toBe('export TOKEN=svc_…');
  const created = await machine.shell(create);
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svc_\S+\n$/) });
  token = created.stdout.trim();
  // The stream has no end; its first line is enough.
  const script = [`export TOKEN=${token}`, ...calls, '|', 'head -n 1'].join('\n').replace(/\n\|\n/, ' | ');
  const { code, stdout } = await machine.shell(script);
  expect([code, stdout]).toEqual([0, expect.stringContaining('"name":"Platform"')]);
  expect(stdout).toContain('team.created');
  expect(stdout).not.toContain('problem');
});

test('the local cluster becomes ready', async () => {
  const list = `export BALLAST_TOKEN=${token}; ./ballast cluster list`;
  await until('it is ready', async () => /^local +local +ready +process /m.test((await machine.shell(list)).stdout));
});

test('the example answers at its address, is changed while it does, and shows its log', async () => {
  const address = await readmeExample(machine, machine.ingressPort);
  writeFileSync(join(machine.checkout, 'examples', 'hello', 'server.js'), changed);
  const again = readmeCommands('ballast deploy')
    .split('\n')
    .filter((line) => !line.startsWith('export'));
  const shown = ['./ballast cluster ps', 'cd examples/hello', '../../ballast logs'];
  const { code, stdout } = await machine.shell([`export BALLAST_TOKEN=${token}`, ...again, ...shown].join('\n'));
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^web-\S+ +hello\/staging\/hello /m)]);
  expect(stdout).toContain('the second one listens');
  const answered = await through(`http://127.0.0.1:${machine.ingressPort}`, address);
  expect(answered).toEqual({ status: 200, body: 'Hello again\n' });
});

test('a job with Node and npm installs what the control plane gives away, and deploys by it', async () => {
  writeFileSync(join(machine.checkout, 'examples', 'hello', 'server.js'), changed.replace('Hello again', 'By a job'));
  const script = `
    mkdir "$HOME/job" && cd "$HOME/job" && cp ${machine.checkout}/examples/hello/* .
    npm install --global --prefix "$HOME/alone" http://localhost:${machine.port}/api/v1/cli/ballast.tgz >&2
    export BALLAST_TOKEN=${token} BALLAST_URL=
    "$HOME/alone/bin/ballast" deploy . --project hello --service hello --json`;
  const { code, stdout, stderr } = await machine.shell(script);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^\{"event":"build",/m)]);
  const [address = ''] = JSON.parse(stdout).addresses as string[];
  const answered = await through(`http://127.0.0.1:${machine.ingressPort}`, new URL(address).host);
  expect(answered).toEqual({ status: 200, body: 'By a job\n' });
});

test('doctor finds nothing wrong, and help is there', async () => {
  const [doctor = '', help = ''] = readmeCommands('ballast doctor').split('\n');
  const found = await machine.shell(doctor);
  expect(found).toMatchObject({ code: 0, stdout: expect.not.stringContaining('✗') });
  expect(await machine.shell(help)).toMatchObject({ code: 0, stderr: '' });
});

test('Ctrl-C ends everything but the instances, `./ballast down` these, and nothing is left', async () => {
  const before = machine.processes();
  expect(before.length).toBeGreaterThan(10);
  // As a terminal does it: to npm, to its shell and to all that it has started at once.
  process.kill(-npm.pid, 'SIGINT');
  expect(await npm.ended).toBe(0);
  await until('its last words', async () => /keeps? running/.test(npm.output()));
  // Those that the change has replaced may still be draining.
  expect(npm.output()).toMatch(/^Stopped \([\d.]+ s\)\n\d+ instances? keeps? running on this machine/m);
  expect(trouble()).toEqual([]);
  expect(await machine.shell('./ballast down')).toMatchObject({ code: 0, stderr: '' });
  expect(machine.processes()).toEqual([]);
  expect(before.filter(isAlive)).toEqual([]);
});

const changed = `import { createServer } from 'node:http';

createServer((request, response) => response.end('Hello again\\n'))
  .listen(Number(process.env.PORT), () => console.log('the second one listens'));
`;
