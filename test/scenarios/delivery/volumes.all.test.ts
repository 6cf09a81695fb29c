import { expect, test } from 'vitest';
import type { Driver } from '../../../agent/drivers/driver.ts';
import { processDriver } from '../../../agent/drivers/process/process-driver.ts';
import type { Keeper } from '../../../agent/keep/keeper.ts';
import { workloadOf } from '../../../domain/deployments/workload-of.ts';
import { defaultProcess, emptyDefinition, type ReleaseContent } from '../../../domain/services/settings.ts';
import { volumeName } from '../../../domain/services/volumes.ts';
import { type Slice, slice } from '../../../protocol/desired.ts';
import { type KeptMachine, keptMachine, through, wanted } from '../../agents/kept-machine.ts';
import { until } from '../../ground/until.ts';

const key = 'env/e1/store';
const volumeId = '0198a000-0000-7000-8000-000000000001';

/** Of the process with the volume: those that ran when another one was started. */
function watched(driver: Driver, beside: string[]): Driver {
  const start = driver.start.bind(driver);
  driver.start = async (id) => {
    const others = (await driver.list()).filter((one) => one.id !== id && one.state === 'running');
    beside.push(...others.filter((one) => one.process.mounts.length > 0).map((one) => `${one.id} beside ${id}`));
    await start(id);
  };
  return driver;
}

/** A release as the control plane words it: a process with a volume, and `sizeBytes` of it. */
async function release(
  machine: KeptMachine,
  revision: number,
  name: string,
  { runsAs, sizeBytes, as }: { runsAs: string; sizeBytes: number; as?: Slice },
) {
  const { image } = (as ?? (await machine.rolled(key, revision, name))).workload;
  const volume = { name: 'data', mountPath: '/data', sizeBytes, storageClass: '' };
  const process = { ...defaultProcess, name: 'web', stabilizationSeconds: 0, drainSeconds: 5 };
  const content: ReleaseContent = {
    settings: { ...emptyDefinition, processes: { p1: { ...process, volumes: { [volumeId]: volume } } } },
    image: { repository: 'shop/store', digest: `sha256:${'1'.repeat(64)}`, own: true },
    variables: {},
  };
  const workload = workloadOf({
    ...{ content, secrets: {}, runsAs, ports: new Map(), rollout: { id: name, digest: name } },
    network: { environment: 'e1', aliases: ['store'] },
  });
  const routes = [{ host: 'store.localhost', process: 'web' }];
  return slice.parse({ key, revision, workload: { ...workload, image, routes } });
}

const rolloutOf = (keeper: Keeper) => keeper.observed().slices[0]?.rollout;

async function came(keeper: Keeper, id: string): Promise<void> {
  const is = async () => rolloutOf(keeper)?.id === id && rolloutOf(keeper)?.phase === 'done';
  await until(`${id} is done`, is, 60).catch((error: unknown) => {
    throw new Error(`${String(error)} ${JSON.stringify(keeper.observed(), null, 1)}`);
  });
}

test('what a release wrote into its volume is there for the next one, and the two never run at once', async () => {
  const beside: string[] = [];
  const log = { info: () => {}, warn: () => {} };
  const machine = await keptMachine({
    driver: async (home) => watched(await processDriver({ home, log }), beside),
  });
  const ask = async (path: string) => (await through(machine.url(), 'store.localhost', path)).body;
  const ready = (keeper: Keeper) =>
    keeper.observed().slices[0]?.instances.filter(({ state }) => state === 'ready') ?? [];
  try {
    const keeper = await machine.keeper();
    await keeper.desire(wanted(1, await release(machine, 1, 'd1', { runsAs: '1', sizeBytes: 1_000 })), 0);
    await came(keeper, 'd1');
    const { VOLUME_DATA: place = '', ...others } = JSON.parse(await ask('/environment')) as Record<string, string>;
    expect([place.endsWith(volumeName(volumeId)), Object.keys(others)]).toEqual([
      true,
      expect.arrayContaining(['PORT']),
    ]);
    await ask(`/write?${new URLSearchParams({ path: `${place}/kept`, text: 'by the first' })}`);
    const next = await release(machine, 2, 'd2', { runsAs: '2', sizeBytes: 1_000 });
    await keeper.desire(wanted(2, next));
    await came(keeper, 'd2');
    expect(await ask(`/read?${new URLSearchParams({ path: `${place}/kept` })}`)).toContain('by the first');
    const [second, ...more] = ready(keeper);
    expect([second?.release.split('#')[0], more]).toEqual(['2', []]);
    // A larger size runs as the release before: its instance stays.
    await keeper.desire(wanted(3, await release(machine, 3, 'd3', { runsAs: '2', sizeBytes: 9_000, as: next })));
    await came(keeper, 'd3');
    expect(ready(keeper).map(({ id }) => id)).toEqual([second?.id]);
    expect(beside).toEqual([]);
  } finally {
    await machine.close();
  }
});
