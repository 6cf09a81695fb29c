import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox } from '../../agent/builders/sandbox/sandbox.ts';
import { type BuilderGround, builderGround } from '../builders/builder-ground.ts';
import { type RegistryWorld, registryWorld } from '../registry/registry-world.ts';
import { canRun, packageRanges } from './can-run.ts';
import type { Kind } from './kind.ts';

/** Each is built three times: two agents, one of them with a cache, make the same image of the same files. */
export function sameDigests(kinds: readonly Kind[]): void {
  let world: RegistryWorld;
  let first: BuilderGround;
  let second: BuilderGround;

  beforeAll(async () => {
    const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
    if ('why' in found) throw new Error(found.why);
    world = await registryWorld();
    // Registries of packages, of this machine too.
    const settings = { allowedRanges: [packageRanges] };
    [first, second] = [await builderGround(world, settings), await builderGround(world, settings)];
  });
  afterAll(async () => {
    await first?.close();
    await second?.close();
    await world?.close();
  });

  const limits = { seconds: 1_500, memoryBytes: 2 ** 32, diskBytes: 2 ** 33, processes: 2_000 };

  test.each(
    kinds.filter((kind) => kind.differs === undefined && canRun(kind)).map((kind) => [kind.name, kind] as const),
  )(
    '%s: the same files have the same digest, with a cache, and on another machine without one',
    async (name, { files, context = '' }) => {
      const body = { cacheKey: name, context, limits };
      const cold = await first.build(files, { body });
      expect(cold.result, cold.log).toMatchObject({ outcome: 'done' });
      expect(cold.digest).toMatch(/^sha256:/);
      expect((await first.build(files, { body })).digest).toBe(cold.digest);
      expect((await second.build(files, { body })).digest).toBe(cold.digest);
    },
    1_800_000,
  );
}
