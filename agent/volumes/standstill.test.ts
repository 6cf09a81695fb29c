import { expect, test } from 'vitest';
import { rolled, World } from '../../test/agents/planned-world.ts';
import type { Seen } from '../keep/observe/seen.ts';
import type { RolloutRecord } from '../keep/plan/rollout-record.ts';
import { Standstill } from './standstill.ts';

const mounts = [{ volume: 'data', path: '/data' }];

test('what mounts the volume ends and does not begin again before it is over, in a rollout as well', () => {
  for (const rollout of [false, true]) {
    const world = new World();
    const slice = (release: string) =>
      rolled('a', release, { replicas: 1, process: { mounts }, more: { volumes: [{ name: 'data' }] } });
    world.want(slice('r1'));
    world.settle();
    const [before] = world.seen.filter(({ state }) => state === 'running');
    expect(before).toBeDefined();
    if (rollout) world.want(slice('r2'));
    world.still.add('a data');
    const begun: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      world.now += 1_000;
      begun.push(
        ...world
          .step()
          .actions.map((action) => action.do)
          .filter((one) => ['add', 'create', 'start'].includes(one)),
      );
    }
    expect(begun).toEqual([]);
    expect(world.seen.filter(({ state, retired }) => state === 'running' || !retired)).toEqual([]);
    world.still.clear();
    world.settle();
    const [after, ...more] = world.seen.filter(({ state, ready }) => state === 'running' && ready);
    expect([after?.process.name, after?.id === before?.id, more]).toEqual([before?.process.name, false, []]);
  }
});

/** A machine on which each pass is what comes next. */
function passing(...passes: { seen?: Partial<Seen>[]; phase?: string; now?: number }[]) {
  const process = { name: 'web', replicas: 1, mounts };
  let at = { ...passes[0] };
  const looked: boolean[] = [];
  const still: Standstill = new Standstill({
    seen: () =>
      (at.seen ?? []).map((one) => ({ key: 'a', process, busy: false, ready: false, ...one }) as unknown as Seen),
    workload: () => ({ processes: [process] }) as never,
    rollout: () =>
      at.phase === undefined ? undefined : ({ rollout: { phase: at.phase } } as unknown as RolloutRecord),
    now: () => at.now ?? 0,
    nextPass: async () => {
      at = { ...at, ...passes.shift() };
      looked.push(still.holds('a', { mounts }));
    },
  });
  return { still, looked };
}

const request = (signal = new AbortController().signal) => ({ key: 'a', volume: 'data', signal });

test('it begins after a rollout, and says from the first end to the last start how long it was', async () => {
  const { still, looked } = passing(
    { phase: 'checking', now: 1_000 },
    { phase: 'done', now: 2_000 },
    { seen: [{ state: 'running' }], now: 3_000 },
    { seen: [{ state: 'running', busy: true }], now: 4_000 },
    { seen: [{ state: 'ended', retired: true }], now: 5_000 },
    { seen: [{ state: 'created' }], now: 6_000 },
    { seen: [{ state: 'running', ready: true, retired: false }], now: 7_000 },
  );
  let worked = 0;
  const told = await still.during(request(), () => {
    worked += 1;
    expect(still.holds('a', { mounts })).toBe(true);
    expect(still.holds('a', { mounts: [] })).toBe(false);
  });
  expect([told, worked]).toEqual([{ stoppedMillis: 5_000 }, 1]);
  expect(looked).toEqual([false, false, true, true, true, false, false]);
});

test('it says nothing where nothing ran, or where nothing serves again', async () => {
  expect(await passing({}, { seen: [] }).still.during(request(), () => undefined)).toEqual({});
  const never = passing({}, { seen: [{ state: 'running' }] }, { seen: [{ state: 'ended' }] }, { now: 200_000 });
  expect(await never.still.during(request(), () => undefined)).toEqual({});
});

test('what does not end is told, what is given up or fails lets everything begin again', async () => {
  const late = passing({}, { seen: [{ state: 'running' }] }, { now: 700_000 });
  await expect(late.still.during(request(), () => undefined)).rejects.toThrow('did not end within 10 minutes');
  const rolling = passing({ phase: 'checking' }, { now: 2_000_000 });
  await expect(rolling.still.during(request(), () => undefined)).rejects.toThrow('did not end within 30 minutes');
  const stopping = new AbortController();
  const given = passing({}, { seen: [{ state: 'running' }] }, {});
  stopping.abort();
  await expect(given.still.during(request(stopping.signal), () => undefined)).rejects.toThrow();
  const failing = passing({}, {});
  const work = () => {
    throw new Error('The disk is broken.');
  };
  await expect(failing.still.during(request(), work)).rejects.toThrow('The disk is broken.');
  for (const { still } of [late, rolling, given, failing]) expect(still.holds('a', { mounts })).toBe(false);
});
