import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applied, keptMachine, wanted } from '../../test/agents/kept-machine.ts';
import { until } from '../../test/ground/until.ts';

const gigabyte = 1_024 ** 3;

test('under pressure an image goes that nothing runs from and nobody wants, and no other; it is over when there is room', async () => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  let availableBytes = 50 * gigabyte;
  const disk = async () => ({ availableBytes, capacityBytes: 100 * gigabyte });
  const machine = await keptMachine({ clock, disk });
  try {
    const keeper = await machine.keeper();
    const records = () => readdirSync(join(machine.home, 'images', 'records'));
    const [kept, gone] = [await machine.slice('kept', 1, 'r1'), await machine.slice('gone', 2, 'r2')];
    await keeper.desire(wanted(2, kept, gone), 0);
    await applied(keeper, 2);
    // Stopped for now, as a suspended service is: its image stays.
    const [process] = kept.workload?.processes ?? [];
    const rests = { ...kept, revision: 3, workload: { ...kept.workload, processes: [{ ...process, replicas: 0 }] } };
    await keeper.desire({ ...wanted(3, rests as typeof kept), removed: ['gone'] });
    await until('nothing runs', async () =>
      keeper.observed().slices.every(({ instances }) => instances.every(({ state }) => state === 'ended')),
    );
    await until('its instances are gone', async () => !keeper.observed().slices.some(({ key }) => key === 'gone'));
    expect(records()).toHaveLength(2);

    availableBytes = 5 * gigabyte;
    clock.ahead += 20_000;
    await until('one image is left', async () => records().length === 1);
    await until('it is told', async () => keeper.observed().disk?.pressure === true);
    expect(keeper.observed().disk).toEqual({ availableBytes, capacityBytes: 100 * gigabyte, pressure: true });
    clock.ahead += 120_000;
    availableBytes = 12 * gigabyte;
    await until('it was looked at', async () => keeper.observed().disk?.availableBytes === availableBytes);
    expect([keeper.observed().disk?.pressure, records().length]).toEqual([true, 1]);
    availableBytes = 20 * gigabyte;
    clock.ahead += 20_000;
    await until('it is over', async () => keeper.observed().disk?.pressure === false);
  } finally {
    await machine.close();
  }
});
