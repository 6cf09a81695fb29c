import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { portHolders } from '../../machine/port-holders.ts';
import { portThief } from '../../test/attacks/port-thief.ts';
import { until } from '../../test/ground/until.ts';
import { CannotHold, type HeldSocket, holdSockets } from './held-socket.ts';

const held: HeldSocket[] = [];
afterEach(() => {
  for (const one of held.splice(0)) one.close();
});

async function hold(): Promise<HeldSocket> {
  const [one] = await holdSockets([{ port: 0, address: '127.0.0.1' }]);
  if (one === undefined) throw new Error('nothing is held');
  held.push(one);
  return one;
}

const program = `
  const { createServer } = require('node:net');
  createServer((socket) => socket.end(String(process.pid))).listen({ fd: 3 }, 4096, () => process.stdout.write('listens'));
`;

async function child(fd: number) {
  const one = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit', fd] });
  if (one.stdout) await once(one.stdout, 'data');
  return {
    pid: String(one.pid),
    async kill() {
      one.kill('SIGKILL');
      await once(one, 'exit');
    },
  };
}

/** Who answers a new connection. */
async function answerer(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket.on('data', (chunk) => {
    said += String(chunk);
  });
  await once(socket, 'end');
  return said;
}

test('who connects while no child is there is kept waiting, and answered by the next one', async () => {
  const { port, fd } = await hold();
  for (let life = 0; life < 3; life += 1) {
    const waiting = Array.from({ length: 20 }, () => answerer(port));
    const one = await child(fd);
    // None was accepted by anybody else: not by this process, and not by the one that made the socket listen.
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([one.pid]));
    await one.kill();
  }
});

test('nobody else can open the port, not even in the moment of the first start', async () => {
  const { port } = await hold();
  const thief = await portThief([port]);
  const later = await hold();
  const one = await child(later.fd);
  await one.kill();
  expect(thief.got().filter((name) => !name.startsWith('::1'))).toEqual([]);
  await thief.end();
});

test('after it was closed others may have the port', async () => {
  const one = await hold();
  one.close();
  const thief = await portThief([one.port]);
  await until('it is free', async () => thief.got().length > 0);
  const [holder] = portHolders(one.port);
  if (process.platform === 'linux') expect(holder?.pid).toBe(thief.pid);
  await thief.end();
});

test('a port that is taken is refused by its name, and none of the others stays open', async () => {
  const { port } = await hold();
  const free = await hold();
  free.close();
  const both = [
    { port: free.port, address: '127.0.0.1' },
    { port, address: '0.0.0.0' },
  ];
  const refusal = await holdSockets(both).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(CannotHold);
  expect(refusal).toMatchObject({ code: 'EADDRINUSE', port, address: '0.0.0.0' });
  const [again] = await holdSockets(both.slice(0, 1));
  if (again) held.push(again);
});
