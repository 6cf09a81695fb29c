import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { identify } from '../../machine/process-identity.ts';
import type { CommandBody } from '../../protocol/command.ts';
import { RunningAgent } from '../../test/agents/running-agent.ts';
import { until } from '../../test/ground/until.ts';
import { sampleTest as test } from '../../test/images/sample-test.ts';
import { hashOf, readIdentity } from '../home/identity.ts';

const agent = new RunningAgent();
const peer = () => agent.peer;
const running = () => agent.running();
const command = (body: CommandBody) => agent.command(body);
const exec = (id: string, seconds: number) => agent.exec(id, seconds);
const runs = (name: string) => agent.runs(name);
const resultOf = (id: string) => agent.resultOf(id);
const journalled = (id: string) => agent.journalled(id);

test('a command runs once however often it is delivered, and its result is told until it is acknowledged', async () => {
  expect(existsSync(join(agent.home.path, 'token'))).toBe(false);
  let lost = 0;
  peer().disturb = (asked) => {
    if (!asked.endsWith('/result') || lost === 2) return undefined;
    lost += 1;
    return 'cut-after';
  };
  const id = command(exec('once', 0));
  const sent = peer().commands.get(id);
  expect(await resultOf(id)).toEqual({ attempt: 1, outcome: 'done', exitCode: 7 });
  expect(peer().output(id)).toBe('begun\nended\n');
  await until('acknowledged', async () => journalled(id) === 'gone');
  // A late copy, of something acknowledged already.
  const told = peer().results.length;
  if (sent !== undefined) peer().commands.set(id, sent);
  await until('told again', async () => peer().results.length > told);
  expect(runs('once')).toBe(1);
});

test('an agent that is killed while a command runs tells that nobody knows how it went, once it has ended', async () => {
  const id = command(exec('killed', 100));
  await until('it runs', async () => peer().output(id).includes('begun'));
  await agent.kill();
  agent.start();
  expect(await resultOf(id)).toMatchObject({ outcome: 'unknown' });
  expect(identify(Number(readFileSync(join(agent.traces, 'killed.pid'), 'utf8')))).toBeUndefined();
  await until('acknowledged', async () => journalled(id) === 'gone');
  expect(runs('killed')).toBe(1);
  // The instance noticed nothing of all this.
  await until('the instance', async () => running()?.id === agent.instance);
  expect(running()?.run).toBe(1);
});

test('a higher attempt runs again, but not while the one before it runs', async () => {
  const id = command(exec('attempts', 2));
  await until('it runs', async () => runs('attempts') === 1);
  const again = (attempt: number) => peer().commands.set(id, { id, attempt, body: exec('attempts', 0) });
  again(2);
  await until('it is left out', async () => agent.said.join('').includes(`Attempt 2 of command ${id} came while`));
  peer().commands.delete(id);
  expect(await resultOf(id)).toMatchObject({ attempt: 1, outcome: 'done' });
  expect(runs('attempts')).toBe(1);
  again(3);
  await until('the third', async () => peer().results.some(({ result }) => result.attempt === 3));
  expect(runs('attempts')).toBe(2);
});

test('a command is cancelled, and what the agent does not understand is refused while the rest goes on', async () => {
  const id = command(exec('cancelled', 20));
  await until('it runs', async () => runs('cancelled') === 1);
  expect(peer().heartbeats.at(-1)?.running).toBeDefined();
  await until('its lease is renewed', async () => peer().heartbeats.at(-1)?.running.includes(id));
  const strange = randomUUID();
  peer().commands.set(strange, { id: strange, attempt: 1, body: { kind: 'dance' } as unknown as CommandBody });
  expect(await resultOf(strange)).toMatchObject({ outcome: 'failed' });
  peer().cancelled = [id];
  expect(await resultOf(id)).toMatchObject({ outcome: 'cancelled' });
  peer().cancelled = [];
  const missing = command({ kind: 'exec', instance: 'nobody-12345678', command: ['true'], timeoutSeconds: 5 });
  expect(await resultOf(missing)).toMatchObject({ outcome: 'failed', message: expect.any(String) });
});

test('the credential is changed, also when the answer is lost and a later start of the same home takes over then', async () => {
  const before = readIdentity(agent.path)?.credential;
  peer().disturb = (asked) => (asked === 'credential' ? 'cut-after' : undefined);
  peer().rotate = true;
  await until('a credential is asked to hold', async () => peer().requests.includes('credential'));
  const pending = readIdentity(agent.path)?.pending;
  const taken = once(agent.process, 'exit');
  agent.start();
  expect((await taken)[0]).toBe(0);
  peer().rotate = false;
  peer().disturb = () => undefined;
  // Only the new one holds by now.
  peer().credentials = new Set([hashOf(pending ?? '')]);
  const now = await until('settled', async () => {
    const identity = readIdentity(agent.path);
    return identity?.pending === undefined ? identity : undefined;
  });
  expect(now.credential).toBe(pending);
  expect(now.credential).not.toBe(before);
});

test('a control plane that is away, redirects or answers nonsense disturbs nothing on the machine', async () => {
  const answers = [{ status: 302, location: 'http://127.0.0.2/' }, { status: 200 }, { status: 410 }, 'cut'] as const;
  let asked = 0;
  peer().disturb = () => {
    asked += 1;
    return answers[asked % answers.length];
  };
  await until('several requests', async () => asked > answers.length);
  await peer().stop();
  await until('said', async () => agent.said.join('').includes('cannot be reached'));
  peer().disturb = () => undefined;
  const reports = peer().heartbeats.length;
  await peer().listen();
  await until('heartbeats again', async () => peer().heartbeats.length > reports);
  expect(agent.process.exitCode).toBeNull();
  expect(running()).toMatchObject({ id: agent.instance, run: 1 });
});

test('a later identity elsewhere ends it for good, and so does the end of its cluster', async () => {
  const superseded = once(agent.process, 'exit');
  peer().disturb = () => ({ status: 409, problem: 'A later agent has this identity; this one stops.' });
  expect((await superseded)[0]).toBe(64);
  peer().disturb = () => ({ status: 410, problem: 'The cluster was deleted.' });
  agent.start();
  expect((await once(agent.process, 'exit'))[0]).toBe(65);
  expect(readdirSync(join(agent.path, 'instances'))).toContain(agent.instance);
});

test('nothing that the agent says holds a secret', () => {
  const identity = readIdentity(agent.path);
  expect(agent.said.join('')).not.toContain(peer().token);
  expect(agent.said.join('')).not.toContain(identity?.credential ?? 'missing');
});
