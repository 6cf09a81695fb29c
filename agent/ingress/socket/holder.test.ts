import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { identify, isAlive } from '../../../machine/process-identity.ts';
import { undoing } from '../../../machine/test-ground.ts';
import { ingressMain, servedIngress, statusOf } from '../../../test/agents/ingress/served-ingress.ts';
import { newConnections } from '../../../test/attacks/new-connections.ts';
import { until } from '../../../test/ground/until.ts';

const undo = undoing();

test('a kill under new connections refuses nobody, and each effect is seen once', async () => {
  const { port, ingress, seen, another } = await servedIngress(undo);
  // Nobody but the holder starts it again.
  ingress.close();
  const order = { url: `http://127.0.0.1:${port}/`, perSecond: 50, effectsOn: 'app.localhost' };
  const people = await newConnections(order);
  undo.push(() => people.end());
  await until('there are effects', async () => seen.size > 5);
  await another('SIGKILL');
  const killed = await people.settled();
  expect(killed).toMatchObject({ refused: 0, strange: [], answered: killed.ids.length });
  // An effect whose answer was lost with the process may be there, and none is there twice.
  expect([...seen.values()].filter((times) => times !== 1)).toEqual([]);
  expect(killed.ids.filter((id) => !seen.has(String(id)))).toEqual([]);
});

test('asked to end, it finishes what it has, and another one takes what comes', async () => {
  const { port, pid, slow, another, files } = await servedIngress(undo);
  const kept = new Agent({ keepAlive: true });
  const silent = connect(port, '127.0.0.1');
  undo.push(() => kept.destroy());
  expect(await statusOf(port, kept)).toBe(200);
  const before = identify(pid());
  const answer = statusOf(port, undefined, '/slow');
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: 'app.localhost' } });
  await Promise.all([once(socket, 'open'), until('it is under way', async () => slow.length > 0)]);
  await another('SIGTERM');
  expect(await statusOf(port)).toBe(200);
  // Idle connections are closed without a reset: each of these would reject.
  expect(await text(silent)).toBe('');
  slow[0]?.end();
  expect(await answer).toBe(200);
  socket.send('still here');
  expect(String((await once(socket, 'message'))[0])).toBe('still here');
  socket.close();
  await until('it has ended', async () => before && !isAlive(before));
  expect(files.leaving()).toEqual([]);
});

test('a home that was deleted keeps no ingress from ending', async () => {
  const { home, pid, holder, ingress } = await servedIngress(undo);
  ingress.close();
  const both = [identify(pid()), identify(holder())];
  const [, shell] = both;
  rmSync(home, { recursive: true });
  process.kill(shell?.pid ?? 0, 'SIGTERM');
  await until('both have ended', async () => !both.some((one) => one && isAlive(one)));
});

test('a holder that is killed gets a successor from the agent, and nobody is refused meanwhile', async () => {
  const { port, pid, holder } = await servedIngress(undo);
  const [before, serving] = [holder(), pid()];
  process.kill(before, 'SIGKILL');
  await until('there is another holder', async () => {
    expect(await statusOf(port)).toBe(200);
    return holder() !== before && pid() !== serving;
  });
  expect(await statusOf(port)).toBe(200);
});

test('a program that ends at once is started more and more slowly, and the reason is known until it serves again', async () => {
  const ending = join(import.meta.dirname, '../../../test/agents/ingress/ending-ingress.sh');
  const { port, pid, ingress, files } = await servedIngress(undo, ['/bin/sh', ending, process.execPath, ingressMain]);
  const file = (name: string) => join(files.directory, name);
  writeFileSync(file('broken'), '');
  const began = performance.now();
  process.kill(pid(), 'SIGKILL');
  await until('the reason is known', async () => ingress.failure !== undefined);
  // Six starts at once, later ones at least a second apart: a slow machine makes fewer.
  const starts = readFileSync(file('starts'), 'utf8').split('\n').length - 1;
  expect(starts).toBeLessThanOrEqual(7 + (performance.now() - began) / 1_000);
  expect(ingress.failure).toMatch(
    new RegExp(`^The ingress does not start on 127\\.0\\.0\\.1, port ${port}: .+ ended with 9, \\d+ times in a row`),
  );
  const visitor = statusOf(port);
  rmSync(file('broken'));
  // Who came meanwhile has waited.
  expect(await visitor).toBe(200);
  await until('nothing is wrong any more', async () => ingress.failure === undefined);
});
