import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { portOf } from '../../machine/test-ground.ts';
import { innerPorts } from '../home/home-record.ts';
import { holdSockets, type SocketAddress } from './held-socket.ts';
import { freePorts, portRefusal } from './ports.ts';

test('every inner port is another one, below the range of outgoing connections', async () => {
  const ports = Object.values(await freePorts(innerPorts, {}));
  expect(new Set(ports).size).toBe(innerPorts.length);
  for (const port of ports) expect(port).toBeLessThan(32_768);

  const [port = 0] = ports;
  const twice = await freePorts(['postgres', 'worker'], { postgres: port, worker: port });
  expect(twice.worker).not.toBe(twice.postgres);
});

test('a kept port stays, and one that a stranger took is replaced', async () => {
  const kept = await freePorts(['postgres', 'worker'], {});
  expect(await freePorts(['postgres', 'worker'], kept)).toEqual(kept);
  const stranger = await portOf(createServer());
  const moved = await freePorts(['postgres', 'worker'], { ...kept, worker: stranger });
  expect(moved.postgres).toBe(kept.postgres);
  expect(moved.worker).not.toBe(stranger);
});

test('a busy port and a foreign address are refused in a sentence that names who has it', async () => {
  const stranger = await portOf(createServer());
  const refusalOf = async (place: SocketAddress) =>
    portRefusal(await holdSockets([place]).catch((error) => error), 'PORT').message;
  expect(await refusalOf({ port: stranger, address: '127.0.0.1' })).toMatch(
    new RegExp(
      `^Port ${stranger} of 127\\.0\\.0\\.1 is taken by another program(, .+ \\(process ${process.pid}\\))?; stop it or set PORT to a free port\\.$`,
    ),
  );
  expect(await refusalOf({ port: 18_000, address: '192.0.2.1' })).toMatch(
    /^LISTEN is 192\.0\.2\.1, which is not an address/,
  );
});
