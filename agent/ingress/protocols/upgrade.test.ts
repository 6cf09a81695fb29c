import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FrontDoor } from '../front-door.ts';
import { AccessLog, TrafficCounts } from '../requests/access-log.ts';
import { ClientLimits, usualLimits } from '../requests/client-limits.ts';
import { RoutingTable } from '../routing-table.ts';
import { trustedProxies } from '../trusted-proxies.ts';

const directory = mkdtempSync(join(tmpdir(), 'ballast-upgrade-'));
const table = new RoutingTable();
const log = new AccessLog(join(directory, 'access.log'));
const door = new FrontDoor({
  table,
  log,
  traffic: new TrafficCounts(),
  trusts: trustedProxies([]),
  limits: new ClientLimits(usualLimits),
});
/** Refuses the WebSocket with an answer that it begins well and goes on with nonsense. */
const hostile = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    setTimeout(() => socket.write('nonsense\r\n'), 50);
  });
});

beforeAll(async () => {
  await once(door.server.listen(0, '127.0.0.1'), 'listening');
  await once(hostile.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  door.cut();
  door.leave();
  hostile.close();
  log.close();
  rmSync(directory, { recursive: true });
});

test('an instance that refuses a WebSocket and then talks nonsense is cut off, and leaves nothing under way', async () => {
  const { port } = hostile.address() as AddressInfo;
  const at = (instance: string) => ({ instance, host: '127.0.0.1', port, protocol: 'http1' as const });
  table.apply([{ host: 'app.localhost', upstreams: [at('one'), at('two')] }]);
  const client = connect((door.server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: app.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const answer = await text(client).catch(() => 'cut');
  // One answer, whatever became of it, and not that of another instance after it.
  expect(answer.match(/HTTP\/1\.1/g)?.length ?? 0).toBeLessThan(2);
  expect(Object.values(table.inFlight())).not.toContain(1);
});
