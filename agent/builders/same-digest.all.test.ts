import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround, type Files } from '../../test/builders/builder-ground.ts';
import { type RegistryWorld, registryWorld } from '../../test/registry/registry-world.ts';
import { openSandbox } from './sandbox/sandbox.ts';

let world: RegistryWorld;
let first: BuilderGround;
let second: BuilderGround;

beforeAll(async () => {
  const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
  if ('why' in found) throw new Error(found.why);
  world = await registryWorld();
  [first, second] = [await builderGround(world), await builderGround(world)];
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await world?.close();
});

const go = `package main

import ("net/http"; "os")

func main() { http.ListenAndServe(":"+os.Getenv("PORT"), http.FileServer(http.Dir("."))) }
`;
const node = {
  'package.json': JSON.stringify({ scripts: { start: 'node server.js' } }),
  'server.js': 'process.exit()',
};

test.each<[string, Files]>([
  ['pages', { 'index.html': '<h1>Hello</h1>', 'style.css': 'h1 { color: red }' }],
  ['Go', { 'go.mod': 'module example.com/hello\n\ngo 1.21\n', 'main.go': go }],
  ['Node', node],
])('%s: the same files have the same digest, without a cache, with one, and on another machine', async (_, files) => {
  const cold = await first.build(files, { body: { cacheKey: 'one' } });
  const warm = await first.build(files, { body: { cacheKey: 'one' } });
  const elsewhere = await second.build(files, { body: { cacheKey: 'other' } });
  expect(cold.result, cold.log).toMatchObject({ outcome: 'done' });
  expect(cold.digest).toMatch(/^sha256:/);
  expect([warm.digest, elsewhere.digest]).toEqual([cold.digest, cold.digest]);
});
