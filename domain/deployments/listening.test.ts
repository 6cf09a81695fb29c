import { expect, test } from 'vitest';
import { listeningSentence } from './listening.ts';

const at = (...places: [string, number][]) => places.map(([address, port]) => ({ address, port }));
const inContainer = (...places: [string, number][]) =>
  listeningSentence({ port: 8080, ownNetwork: true, sockets: at(...places) });
const onMachine = (...places: [string, number][]) =>
  listeningSentence({ port: 20_632, ownNetwork: false, sockets: at(...places) });

test('a program that listens where it is asked is at no fault', () => {
  expect(inContainer(['0.0.0.0', 8080])).toBeUndefined();
  expect(inContainer(['127.0.0.1', 9000], ['::', 8080])).toBeUndefined();
  expect(inContainer(['172.18.0.2', 8080])).toBeUndefined();
  expect(onMachine(['127.0.0.1', 20_632])).toBeUndefined();
  expect(onMachine(['0.0.0.0', 20_632], ['0.0.0.0', 3000])).toBeUndefined();
});

test('another port is named beside PORT, with what to do where it runs', () => {
  expect(onMachine(['0.0.0.0', 3000])).toBe(
    'It listens on 3000, not on PORT (20632): have it read the variable PORT, since each instance on this cluster has a port of its own.',
  );
  expect(inContainer(['::', 3000], ['0.0.0.0', 3000])).toBe(
    'It listens on 3000, not on PORT (8080): have it read the variable PORT, or set the port of its process to 3000.',
  );
  expect(inContainer(['127.0.0.1', 3000])).toBe(
    'It listens on 127.0.0.1:3000, not on PORT (8080): have it read the variable PORT, and listen on 0.0.0.0, or set the port of its process to 3000.',
  );
  expect(onMachine(['::1', 9000], ...[3, 2, 1, 4].map((port): [string, number] => ['0.0.0.0', port]))).toContain(
    'It listens on 1, 2, 3 and 2 more, not on PORT (20632)',
  );
});

test('a fixed port is named where there is one, and where there could be', () => {
  const found = { ownNetwork: false, sockets: at(['0.0.0.0', 3000]) };
  expect(listeningSentence({ ...found, port: 20_632, fixedPort: 'possible' })).toBe(
    'It listens on 3000, not on PORT (20632): have it read the variable PORT, or give its process the fixed port 3000 (port=3000 fixedPort=true).',
  );
  expect(listeningSentence({ ...found, port: 8080, fixedPort: 'used' })).toBe(
    'It listens on 3000, not on PORT (8080): have it read the variable PORT, or set the port of its process to 3000.',
  );
  expect(listeningSentence({ ...found, port: 3000, fixedPort: 'used' })).toBeUndefined();
});

test('an address that is not reached is named', () => {
  expect(inContainer(['127.0.0.1', 8080])).toBe(
    'It listens on 127.0.0.1 only, which nothing outside of its container reaches: have it listen on 0.0.0.0.',
  );
  expect(onMachine(['::1', 20_632])).toBe(
    'It listens on ::1 only, and not on 127.0.0.1, where this cluster asks it: have it listen on 0.0.0.0.',
  );
});

test('a program that listens nowhere is told the port', () => {
  expect(onMachine()).toBe(
    'It does not listen on any port: have it listen on PORT (20632). Its log may say what it does instead.',
  );
});
