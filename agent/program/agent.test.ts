import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { identify } from '../../machine/process-identity.ts';
import type { CommandBody } from '../../protocol/command.ts';
import { workload } from '../../protocol/workload.ts';
import { type AgentPeer, agentPeer } from '../../test/agents/agent-peer.ts';
import { agentHome } from '../../test/agents/installed-agent.ts';
import { until } from '../../test/ground/until.ts';
import { sampleLayout } from '../../test/images/sample-image.ts';
import { readIdentity } from '../home/identity.ts';

let peer: AgentPeer;
let home: ReturnType<typeof agentHome>;
let instance: string;
let agent: ChildProcess;
/** Where programs that a test runs in the instance leave their traces. */
let traces: string;

beforeAll(async () => {
  peer = await agentPeer();
  home = agentHome();
  traces = join(home.path, 'traces');
  mkdirSync(traces);
  chmodSync(home.path, 0o755);
  chmodSync(traces, 0o777);
  const { layout } = await sampleLayout(join(home.path, 'layout'));
  const described = { release: 'one', image: { layout }, processes: [{ name: 'web', kind: 'worker' }] };
  peer.desired = {
    revision: 1,
    slices: [{ key: 'sample', revision: 1, workload: workload.parse(described) }],
    broken: [],
    removed: [],
  };
  // The answer to the first attempt to enrol is lost: the second asks with the same credential.
  let lost = false;
  peer.disturb = (path) => {
    if (path !== 'enrol' || lost) return undefined;
    lost = true;
    return 'cut-after';
  };
  startAgent();
  instance = await until('the instance', async () => running()?.id);
});
afterEach(() => {
  peer.disturb = () => undefined;
});
afterAll(async () => {
  agent.kill('SIGKILL');
  await home.close();
  await peer.stop();
});

const path = () => join(home.path, 'agent');
/** In the last report that tells of a slice: one may tell of the machine alone. */
const running = () =>
  peer.reports
    .findLast(({ slices }) => slices.length > 0)
    ?.slices[0]?.instances.find(({ state }) => state === 'running' || state === 'ready');

function startAgent(): void {
  const tokenFile = join(home.path, 'token');
  if (!existsSync(join(path(), 'agent.json'))) writeFileSync(tokenFile, peer.token);
  const program = join(import.meta.dirname, '..', 'main.ts');
  const options = ['--home', path(), '--url', peer.url, '--token-file', tokenFile, '--driver', 'process'];
  agent = spawn(process.execPath, [program, 'agent', 'run', ...options, '--ingress-port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  agent.stderr?.on('data', (bytes: Buffer) => said.push(String(bytes)));
}
const said: string[] = [];

async function killAgent(): Promise<void> {
  const ended = new Promise((resolve) => agent.once('exit', resolve));
  agent.kill('SIGKILL');
  await ended;
}

function command(body: CommandBody, attempt = 1): string {
  const id = randomUUID();
  peer.commands.set(id, { id, attempt, body });
  return id;
}
/** Leaves a line for each time it runs, says something, and ends with 7. */
const exec = (id: string, seconds: number): CommandBody => ({
  kind: 'exec',
  instance,
  command: [
    'sh',
    '-c',
    `echo $$ >${traces}/${id}.pid; echo ran >>${traces}/${id}; echo begun; sleep ${seconds}; echo ended; exit 7`,
  ],
  timeoutSeconds: 30,
});
const runs = (name: string) =>
  existsSync(join(traces, name)) ? readFileSync(join(traces, name), 'utf8').split('\n').length - 1 : 0;
const resultOf = (id: string) => until('a result', async () => peer.results.find((told) => told.id === id)?.result);
const journalled = (id: string): string | undefined => {
  try {
    const { state }: { state: string } = JSON.parse(readFileSync(join(path(), 'journal', `${id}.json`), 'utf8'));
    return state;
  } catch {
    return undefined;
  }
};

test('a command runs once however often it is delivered, and its result is told until it is acknowledged', async () => {
  expect(existsSync(join(home.path, 'token'))).toBe(false);
  let lost = 0;
  peer.disturb = (asked) => {
    if (!asked.endsWith('/result') || lost === 2) return undefined;
    lost += 1;
    return 'cut-after';
  };
  const id = command(exec('once', 0));
  const sent = peer.commands.get(id);
  expect(await resultOf(id)).toEqual({ attempt: 1, outcome: 'done', exitCode: 7 });
  expect(peer.output(id)).toBe('begun\nended\n');
  await until('acknowledged', async () => journalled(id) === 'gone');
  // A late copy, of something acknowledged already.
  const told = peer.results.length;
  if (sent !== undefined) peer.commands.set(id, sent);
  await until('told again', async () => peer.results.length > told);
  expect(runs('once')).toBe(1);
});

// Each case kills an agent at one state: the command ends done, failed or unknown, and never runs twice.
test.each(['received', 'started', 'running', 'finished', 'told'] as const)(
  'an agent that is killed when a command is %s tells how it went, and runs it once at most',
  async (moment) => {
    const name = `killed-${moment}`;
    const id = command(exec(name, moment === 'running' ? 100 : 0.3));
    const state = () => journalled(id);
    const told = () => peer.results.some((result) => result.id === id);
    const reached = {
      received: () => state() !== undefined,
      started: () => state() === 'started',
      running: () => peer.output(id).includes('begun'),
      finished: () => state() === 'finished' || state() === 'gone',
      told,
    }[moment];
    if (moment === 'told') peer.disturb = (asked) => (asked.endsWith('/result') ? 'cut-after' : undefined);
    while (!reached()) await new Promise((resolve) => setTimeout(resolve, 1));
    await killAgent();
    peer.disturb = () => undefined;
    startAgent();
    const result = await resultOf(id);
    await until('acknowledged', async () => journalled(id) === 'gone');
    expect(new Set(peer.results.filter((one) => one.id === id).map((one) => one.result.outcome)).size).toBe(1);
    expect(runs(name)).toBeLessThanOrEqual(1);
    if (result.outcome === 'done') expect(runs(name)).toBe(1);
    else expect(result.outcome).toBe('unknown');
    if (moment === 'running') {
      expect(result.outcome).toBe('unknown');
      // Nobody is told that it is over while it runs.
      expect(identify(Number(readFileSync(join(traces, `${name}.pid`), 'utf8')))).toBeUndefined();
    }
    if (moment === 'told') expect(result).toMatchObject({ outcome: 'done', exitCode: 7 });
    // The instance noticed nothing of all this.
    await until('the instance', async () => running()?.id === instance);
    expect(running()?.run).toBe(1);
  },
);

test('a higher attempt runs again, but not while the one before it runs', async () => {
  const id = command(exec('attempts', 2));
  await until('it runs', async () => runs('attempts') === 1);
  const again = (attempt: number) => peer.commands.set(id, { id, attempt, body: exec('attempts', 0) });
  again(2);
  await until('it is left out', async () => said.join('').includes(`Attempt 2 of command ${id} came while`));
  peer.commands.delete(id);
  expect(await resultOf(id)).toMatchObject({ attempt: 1, outcome: 'done' });
  expect(runs('attempts')).toBe(1);
  again(3);
  await until('the third', async () => peer.results.some(({ result }) => result.attempt === 3));
  expect(runs('attempts')).toBe(2);
});

test('a command is cancelled, and what the agent does not understand is refused while the rest goes on', async () => {
  const id = command(exec('cancelled', 20));
  await until('it runs', async () => runs('cancelled') === 1);
  expect(peer.heartbeats.at(-1)?.running).toBeDefined();
  await until('its lease is renewed', async () => peer.heartbeats.at(-1)?.running.includes(id));
  const strange = randomUUID();
  peer.commands.set(strange, { id: strange, attempt: 1, body: { kind: 'dance' } as unknown as CommandBody });
  expect(await resultOf(strange)).toMatchObject({ outcome: 'failed' });
  peer.cancelled = [id];
  expect(await resultOf(id)).toMatchObject({ outcome: 'cancelled' });
  peer.cancelled = [];
  const missing = command({ kind: 'exec', instance: 'nobody-12345678', command: ['true'], timeoutSeconds: 5 });
  expect(await resultOf(missing)).toMatchObject({ outcome: 'failed', message: expect.any(String) });
});

test('the credential is changed, also when the answer is lost and the agent is killed then', async () => {
  const before = readIdentity(path())?.credential;
  peer.disturb = (asked) => (asked === 'credential' ? 'cut-after' : undefined);
  peer.rotate = true;
  await until('a credential is asked to hold', async () => peer.requests.includes('credential'));
  const pending = readIdentity(path())?.pending;
  await killAgent();
  peer.rotate = false;
  peer.disturb = () => undefined;
  // Only the new one holds by now.
  const { hashOf } = await import('../home/identity.ts');
  peer.credentials = new Set([hashOf(pending ?? '')]);
  const hellos = peer.hellos.length;
  startAgent();
  await until('a hello', async () => peer.hellos.length > hellos);
  const now = await until('settled', async () => {
    const identity = readIdentity(path());
    return identity?.pending === undefined ? identity : undefined;
  });
  expect(now.credential).toBe(pending);
  expect(now.credential).not.toBe(before);
});

test('a control plane that is away, redirects or answers nonsense disturbs nothing on the machine', async () => {
  const answers = [{ status: 302, location: 'http://127.0.0.2/' }, { status: 200 }, { status: 410 }, 'cut'] as const;
  let asked = 0;
  peer.disturb = () => {
    asked += 1;
    return answers[asked % answers.length];
  };
  await until('several requests', async () => asked > answers.length);
  await peer.stop();
  await until('said', async () => said.join('').includes('cannot be reached'));
  peer.disturb = () => undefined;
  const reports = peer.heartbeats.length;
  await peer.listen();
  await until('heartbeats again', async () => peer.heartbeats.length > reports);
  expect(agent.exitCode).toBeNull();
  expect(running()).toMatchObject({ id: instance, run: 1 });
});

test('a later start of the same home takes over; a later identity elsewhere ends this one for good', async () => {
  const first = agent;
  const ended = new Promise((resolve) => first.once('exit', resolve));
  startAgent();
  expect(await ended).toBe(0);
  const hellos = peer.hellos.length;
  await until('a hello', async () => peer.hellos.length > hellos || agent.exitCode !== null);
  const superseded = new Promise((resolve) => agent.once('exit', resolve));
  peer.disturb = () => ({ status: 409, problem: 'A later agent has this identity; this one stops.' });
  expect(await superseded).toBe(64);
  peer.disturb = () => ({ status: 410, problem: 'The cluster was deleted.' });
  startAgent();
  expect(await new Promise((resolve) => agent.once('exit', resolve))).toBe(65);
  expect(readdirSync(join(path(), 'instances'))).toContain(instance);
});

test('nothing that the agent says holds a secret', () => {
  const identity = readIdentity(path());
  expect(said.join('')).not.toContain(peer.token);
  expect(said.join('')).not.toContain(identity?.credential ?? 'missing');
});
