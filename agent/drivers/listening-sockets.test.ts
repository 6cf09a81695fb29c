import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { portOf } from '../../machine/test-ground.ts';
import { socketsIn, socketsOfNetwork, socketsOfOwnNetwork, socketsOfProcesses } from './listening-sockets.ts';

test('sockets of this process are found with their addresses, and of another process none', async () => {
  const first = createServer();
  const listening = (host: string) => portOf(createServer(), host);
  const wanted = [
    { address: '127.0.0.1', port: await portOf(first, '127.0.0.1') },
    { address: '0.0.0.0', port: await listening('0.0.0.0') },
    { address: '::1', port: await listening('::1') },
    { address: '::', port: await listening('::') },
    { address: '127.0.0.9', port: await listening('::ffff:127.0.0.9') },
  ];
  expect(socketsOfProcesses([process.pid])).toEqual(expect.arrayContaining(wanted));
  expect(socketsOfNetwork(process.pid)?.length).toBeGreaterThan(0);
  // A process that shares our network has none of its own yet.
  expect(socketsOfOwnNetwork(process.pid)).toEqual([]);
  const [gone] = wanted;
  first.close();
  await once(first, 'close');
  expect(socketsOfProcesses([process.pid])).not.toContainEqual(gone);
  expect(socketsOfProcesses([])).toBeUndefined();
  expect(socketsOfProcesses([4_194_305])).toBeUndefined();
});

test('tables say only what listens; the resolver of an engine is none of the program', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0B00007F:9C41 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 301 1 0 100 0 0 10 0',
    '   1: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 302 1 0 100 0 0 10 0',
    '   2: 0100007F:0BB9 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 303 1 0 100 0 0 10 0',
    '   3: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 304 1',
    '   4: nonsense 0A',
    '',
  ].join('\n');
  expect(socketsIn(table)).toEqual([
    { address: '127.0.0.1', port: 3000 },
    { address: '::', port: 8080 },
  ]);
  expect(socketsIn('x'.repeat(10_000))).toEqual([]);
});
