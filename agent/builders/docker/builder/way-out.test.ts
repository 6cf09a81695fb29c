import { expect, test } from 'vitest';
import { wholeName } from './offered-images.ts';
import { isHere, openWayOut, reasonAgainstEntering, wayOut } from './way-out.ts';

test('a process in the network of the agent, or in another folder, is no builder of this machine', () => {
  // Its own network is the agent's: served there, the proxy would be a port of the machine.
  expect(isHere(process.pid, '/tmp', '/tmp')).toBe(false);
  expect(isHere(0, '/tmp', '/tmp')).toBe(false);
  expect(isHere(process.pid, '/tmp', `/proc/${process.pid}/root/nowhere`)).toBe(false);
});

test.runIf(reasonAgainstEntering() === undefined)('in the network of the agent no way out is opened', async () => {
  const opening = openWayOut(process.pid, { allowedRanges: [] }, () => undefined);
  await expect(opening).rejects.toThrow(/cannot open the way out/);
});

test('the proxy is the only way out, except for the builder itself', () => {
  expect(wayOut).toEqual({
    HTTP_PROXY: 'http://127.0.0.1:3128',
    HTTPS_PROXY: 'http://127.0.0.1:3128',
    NO_PROXY: 'localhost,127.0.0.1,::1',
  });
});

test('names of images are as registries have them', () => {
  expect(wholeName('node:24')).toBe('docker.io/library/node:24');
  expect(wholeName('moby/buildkit:v1')).toBe('docker.io/moby/buildkit:v1');
  expect(wholeName('registry.example.com/node:24')).toBe('registry.example.com/node:24');
  expect(wholeName('localhost/node:24')).toBe('localhost/node:24');
  expect(wholeName('host:5000/node:24')).toBe('host:5000/node:24');
});
