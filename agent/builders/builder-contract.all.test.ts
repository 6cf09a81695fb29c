import { afterAll } from 'vitest';
import { builderContract } from '../../test/builders/builder-contract.ts';
import { builderGround } from '../../test/builders/builder-ground.ts';
import { registryWorld } from '../../test/registry/registry-world.ts';
import { openSandbox } from './sandbox/sandbox.ts';

const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
if ('why' in found) throw new Error(found.why);
const world = await registryWorld();
const ground = await builderGround(world);
afterAll(async () => {
  await ground.close();
  await world.close();
});

// Of the other builder it is agent/builders/docker/detected.all.test.ts.
builderContract('process', () => ground);
