import { afterAll, beforeAll } from 'vitest';
import { builderContract } from '../../test/builders/builder-contract.ts';
import { type BuilderGround, builderGround } from '../../test/builders/builder-ground.ts';
import { type RegistryWorld, registryWorld } from '../../test/registry/registry-world.ts';
import { openSandbox } from './sandbox/sandbox.ts';

let world: RegistryWorld;
let ground: BuilderGround;

beforeAll(async () => {
  const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
  if ('why' in found) throw new Error(found.why);
  world = await registryWorld();
  ground = await builderGround(world);
});
afterAll(async () => {
  await ground?.close();
  await world?.close();
});

// Of the other builder it is agent/builders/docker/detected.all.test.ts.
builderContract('process', () => ground);
