import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Slice } from '../../protocol/desired.ts';
import { applied, keptMachine, wanted } from '../../test/agents/kept-machine.ts';
import { until } from '../../test/ground/until.ts';

const gigabyte = 1_024 ** 3;

test('under pressure an image goes that nothing runs from and no slice names, and no other; it is over when there is room', async () => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  let availableBytes = 50 * gigabyte;
  const disk = async () => ({ availableBytes, capacityBytes: 100 * gigabyte });
  const machine = await keptMachine({ clock, disk });
  try {
    const keeper = await machine.keeper();
    const records = () => readdirSync(join(machine.home, 'images', 'records')).sort();
    const layout = (slice: Slice) => (slice.workload.image as { layout: string }).layout;
    const ends = { drainSeconds: 0 };
    const ran = [
      await machine.slice('a', 1, 'r1', ends),
      await machine.slice('b', 2, 'r2', ends),
      await machine.slice('c', 3, 'r3', ends),
    ];
    const [first, second] = ran.map(layout) as [string, string];
    const digests = [first, second].map(
      (at) => JSON.parse(readFileSync(join(at, 'index.json'), 'utf8')).manifests[0].digest,
    );
    // They rest, as suspended services do: no instance names their images, which are those of "a" and "b".
    const named = await machine.slice('named', 4, 'r1', { replicas: 0 });
    const pinned = await machine.slice('pinned', 5, 'r2', { replicas: 0 });
    named.workload.image = { layout: first, digest: digests[0] };
    pinned.workload.image = { layout: second };
    await keeper.desire(wanted(5, ...ran, named, pinned), 0);
    await applied(keeper, 5);
    expect(records()).toHaveLength(3);
    await keeper.desire({ ...wanted(6), removed: ran.map(({ key }) => key) });
    await until('their instances are gone', async () => keeper.observed().slices.length === 2);

    availableBytes = 5 * gigabyte;
    clock.ahead += 20_000;
    await until('two images are left', async () => records().length === 2);
    expect(records()).toEqual(digests.map((digest) => digest.replace('sha256:', '')).sort());
    await until('it is told', async () => keeper.observed().disk?.pressure === true);
    expect(keeper.observed().disk).toEqual({ availableBytes, capacityBytes: 100 * gigabyte, pressure: true });
    clock.ahead += 120_000;
    availableBytes = 12 * gigabyte;
    await until('it was looked at', async () => keeper.observed().disk?.availableBytes === availableBytes);
    expect([keeper.observed().disk?.pressure, records().length]).toEqual([true, 2]);
    availableBytes = 20 * gigabyte;
    clock.ahead += 20_000;
    await until('it is over', async () => keeper.observed().disk?.pressure === false);
  } finally {
    await machine.close();
  }
});
