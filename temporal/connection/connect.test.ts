import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { connectTemporal } from './connect.ts';

const keys = { current: () => Promise.reject(new Error('no key')), byId: () => Promise.reject(new Error('no key')) };

test('a connection that is closed while calls are to be repeated ends them, and not the process', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const temporal = connectTemporal({ address: `127.0.0.1:${port}`, namespace: 'any', tls: false, keys });
  const calls = Array.from({ length: 20 }, () =>
    temporal.connection.workflowService.getSystemInfo({}).then(
      () => 'answered',
      () => 'refused',
    ),
  );
  await once(server, 'connection');
  await temporal.close();
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['refused']));
  server.close();
});
