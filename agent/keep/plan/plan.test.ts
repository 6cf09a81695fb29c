import { expect, test } from 'vitest';
import { second, slice, World } from '../../../test/agents/planned-world.ts';
import { fc } from '../../../test/run/drawn.ts';
import { isServing, type Seen } from '../observe/seen.ts';
import { processKey, scheduleKey } from './keys.ts';
import { idOf } from './plan-cron.ts';

const serving = (world: World) => world.seen.filter(isServing);
const lasting = (world: World) => world.seen.filter(({ retired }) => !retired);
const releases = (seen: Seen[]) => seen.map(({ label }) => label.split('#')[0]);

test('a new release takes over one by one, with one more at most, and leaves the logs of two', () => {
  const world = new World();
  world.want(slice('a', { hosts: ['a.localhost'] }));
  world.settle();
  world.want(slice('a', { release: 'r2', hosts: ['a.localhost'] }));
  world.step();
  expect(releases(lasting(world))).toEqual(['r1', 'r1', 'r2']);
  world.step();
  world.step();
  // A running instance that is not ready replaces nothing of the old release.
  expect(releases(serving(world))).toEqual(['r1', 'r1']);
  const fresh = world.seen.find(({ ready, state }) => state === 'running' && !ready);
  Object.assign(fresh ?? {}, { ready: true, since: world.now });
  const { routes } = world.step();
  expect(routes[0]?.upstreams.map(({ instance }) => instance)).toContain(fresh?.id);
  expect(releases(serving(world))).toEqual(['r1', 'r2']);
  world.settle();
  expect(releases(serving(world))).toEqual(['r2', 'r2']);
  expect(world.seen.filter(({ retired }) => retired)).toHaveLength(2);
});

test('what is ready counts only when it has been so for long enough', () => {
  const world = new World();
  world.want(slice('a', { replicas: 1 }));
  world.settle();
  const process = { stabilizationSeconds: 30 };
  world.want(slice('a', { replicas: 1, release: 'r2', process }));
  for (let step = 0; step < 4; step += 1) world.step();
  for (const one of serving(world)) one.since = world.now - 100 * second;
  Object.assign(lasting(world).find(({ ready }) => !ready) ?? {}, { ready: true, since: world.now });
  world.now += 29 * second;
  world.step();
  expect(releases(serving(world))).toEqual(['r1', 'r2']);
  world.now += second;
  world.step();
  expect(releases(serving(world))).toEqual(['r2']);
});

test('a release that does not become ready is an error with its reason, and the old one goes on', () => {
  const world = new World();
  world.want(slice('a', { replicas: 1 }));
  world.settle();
  world.want(slice('a', { replicas: 1, release: 'r2', process: { readyWithinSeconds: 60 } }));
  for (let step = 0; step < 4; step += 1) world.step();
  const failing = lasting(world).find(({ ready }) => !ready);
  if (failing === undefined) throw new Error('nothing was started');
  world.end(failing);
  failing.since = world.now;
  world.now += 61 * second;
  const planned = world.step();
  expect(planned.slices.get('a')).toMatchObject({
    inEffect: false,
    error: `${failing.id} is not ready after 60 s: Its last run ended with exit code 1.`,
  });
  expect(planned.actions).toContainEqual({ do: 'start', id: failing.id });
  expect(releases(serving(world))).toEqual(['r1']);
  // The next release takes the place of the failed one, not that of the one that serves.
  world.want(slice('a', { replicas: 1, release: 'r3' }));
  world.step();
  expect(releases(lasting(world))).toEqual(['r1', 'r3']);
});

test('checks, drain, replicas and routes restart nothing; another environment or restart does', () => {
  const world = new World();
  world.want(slice('a'));
  world.settle();
  const before = world.seen.map(({ id }) => id);
  const checks = { liveness: { kind: 'tcp' } };
  world.want(slice('a', { replicas: 3, hosts: ['a.localhost'], process: { checks, drainSeconds: 1 } }));
  world.settle();
  expect(serving(world).map(({ id }) => id)).toEqual(expect.arrayContaining(before));
  world.want(slice('a', { more: { environment: { A: '1' } } }));
  world.settle();
  expect(serving(world).some(({ id }) => before.includes(id))).toBe(false);
  const again = serving(world).map(({ id }) => id);
  world.restarts.set(processKey('a', 'web'), 'token');
  world.settle();
  expect(serving(world)).toHaveLength(2);
  expect(serving(world).some(({ id }) => again.includes(id))).toBe(false);
});

test('what is sick is stopped and started again; what is refused is said, and tried again in its time', () => {
  const world = new World();
  world.want(slice('a', { replicas: 1 }));
  world.settle();
  Object.assign(world.seen[0] ?? {}, { sick: 'Its liveness check failed.' });
  expect(world.step().actions).toEqual([
    { do: 'stop', id: world.seen[0]?.id, graceSeconds: 10, why: 'Its liveness check failed.' },
  ]);
  expect(world.step().actions).toEqual([]);
  world.settle();
  expect(world.seen).toMatchObject([{ state: 'running', run: 2 }]);
  world.want(slice('a', { replicas: 1, release: 'r2' }));
  world.step();
  Object.assign(lasting(world).find(({ state }) => state === 'preparing') ?? {}, {
    refused: 'The image is too large.',
    notBefore: world.now + 60 * second,
  });
  world.now += 59 * second;
  const planned = world.step();
  expect(planned.actions).toEqual([]);
  expect(planned.slices.get('a')?.error).toBe('The image is too large.');
  world.now += second;
  expect(world.step().actions).toMatchObject([{ do: 'create' }]);
});

test('an instance that crashes again and again is a crash loop, which is said while it runs as well', () => {
  const world = new World();
  world.want(slice('workload/billing', { replicas: 1 }));
  world.settle();
  const told = { restarts: 8, seconds: 126, how: 'exited with code 1' };
  const crashes = { count: 9, run: 9, first: 0, longest: 1500, how: 'exited with code 1', told };
  Object.assign(world.seen[0] ?? {}, { crashes });
  expect(world.step().slices.get('workload/billing')).toMatchObject({
    error: 'billing/web is in a crash loop: exited with code 1, 8 restarts in 2 min.',
    processes: new Map([
      ['web', expect.objectContaining({ crashLoop: { ...told, process: 'web', instance: world.seen[0]?.id } })],
    ]),
  });
});

test.each([
  [{ hosts: ['not a host'] }, '"not a host" is not a host name.'],
  [{ hosts: ['taken.localhost'] }, 'The host taken.localhost already leads to a: use another one.'],
  [{ process: { mounts: [{ volume: 'data', path: '/data' }] } }, 'mounts the volume data, which is not there'],
  [{ process: { kind: 'cron', schedule: '* * * * * *' } }, 'which cannot be understood'],
  [{ process: { kind: 'cron', schedule: '* * * * *', timeZone: 'Mars/City' } }, 'which cannot be understood'],
  [{ process: { port: undefined } }, 'has no port: give it one.'],
])('what is wrong with one slice is said and stops no other: %#', (shape, error) => {
  const world = new World();
  world.want(slice('a', { hosts: ['taken.localhost'] }), slice('b', shape));
  world.settle();
  const planned = world.step();
  expect(planned.slices.get('b')).toMatchObject({ inEffect: false, error: expect.stringContaining(error) });
  expect(planned.slices.get('a')).toMatchObject({ inEffect: true });
  expect(planned.routes.find(({ host }) => host === 'taken.localhost')?.upstreams).toHaveLength(2);
});

test('a schedule without replicas, as of a suspended service, starts nothing', () => {
  const starts = (replicas: number) => {
    const world = new World();
    const wanted = slice('a', { replicas, process: { kind: 'cron', port: undefined, schedule: '*/10 * * * *' } });
    const [process] = wanted.workload?.processes ?? [];
    if (process === undefined) throw new Error('there is no process');
    world.want(wanted);
    world.now = Date.parse('2026-03-01T12:00:01Z');
    world.schedules.set(scheduleKey('a', process), { from: world.now - 60 * second });
    world.step();
    return world.seen.length;
  };
  expect([starts(1), starts(0)]).toEqual([1, 0]);
});

test('a schedule starts one instance for each time, none while one runs, and nothing for times that are long over', () => {
  const world = new World();
  const wanted = slice('a', { process: { kind: 'cron', port: undefined, schedule: '*/10 * * * *' } });
  const process = wanted.workload?.processes[0];
  if (process === undefined) throw new Error('there is no process');
  world.now = Date.parse('2026-03-01T11:59:30Z');
  world.want(wanted);
  world.schedules.set(scheduleKey('a', process), { from: world.now });
  expect(world.step().actions).toEqual([]);
  world.now += 31 * second;
  for (let step = 0; step < 4; step += 1) world.step();
  expect(world.seen).toMatchObject([
    { id: idOf('a', 'web', Date.parse('2026-03-01T12:00:00Z')), state: 'running', run: 1 },
  ]);
  // The next time comes while it runs: passed over, also when it ends a moment later.
  world.now += 600 * second;
  expect(world.step().actions).toMatchObject([{ do: 'skip' }]);
  for (const one of world.seen) world.end(one);
  for (let step = 0; step < 3; step += 1) world.step();
  expect(world.seen).toHaveLength(1);
  // Nobody was there when the next ones came, and the last of them is over for two minutes.
  world.now += 3600 * second + 120 * second;
  expect(world.step().actions).toEqual([]);
  for (let time = 0; time < 8; time += 1) {
    world.now += 600 * second - (world.now % (600 * second)) + second;
    for (let step = 0; step < 4; step += 1) world.step();
    for (const one of world.seen) if (one.state === 'running') world.end(one);
    world.step();
    world.step();
  }
  expect(world.seen).toHaveLength(5);
  expect(world.seen.every(({ run }) => run === 1)).toBe(true);
});

const events = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('release' as const), to: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('replicas' as const), to: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ kind: fc.constantFrom('crash', 'ready', 'unready', 'sick', 'forget', 'gone'), to: fc.nat(9) }),
    fc.record({ kind: fc.constant('pass' as const), to: fc.integer({ min: 1, max: 90 }) }),
  ),
  { maxLength: 60 },
);

test('from any state, through anything that happens, it comes to what shall be, and never serves less on the way', () => {
  fc.assert(
    fc.property(events, (happening) => {
      const world = new World();
      let shape = { release: 'r1', replicas: 2, hosts: ['a.localhost'] };
      world.want(slice('a', shape), slice('b', { replicas: 1, hosts: ['b.localhost'] }));
      for (const { kind, to } of happening) {
        const mine = world.seen.filter(({ key }) => key === 'a');
        const one = mine[to % Math.max(1, mine.length)];
        if (kind === 'release') shape = { ...shape, release: `r${to}` };
        if (kind === 'replicas') shape = { ...shape, replicas: to };
        if (kind === 'pass') world.now += to * second;
        if (kind === 'gone') world.seen = world.seen.filter((other) => other !== one);
        if (one?.state === 'running') {
          if (kind === 'crash') world.end(one);
          if (kind === 'ready' || kind === 'unready') Object.assign(one, { ready: kind === 'ready', since: world.now });
          if (kind === 'sick') Object.assign(one, { sick: 'sick', ready: false });
        }
        // The next agent remembers none of these decisions.
        if (kind === 'forget') for (const each of mine) each.retired = false;
        world.want(slice('a', shape));
        const before = serving(world).filter(({ key }) => key === 'a').length;
        const many = lasting(world).filter(({ key }) => key === 'a').length;
        world.step();
        const after = serving(world).filter(({ key }) => key === 'a').length;
        expect(after).toBeGreaterThanOrEqual(Math.min(before, shape.replicas));
        const now = lasting(world).filter(({ key }) => key === 'a').length;
        expect(now).toBeLessThanOrEqual(Math.max(many, shape.replicas + 1));
      }
      world.settle();
      const planned = world.step();
      for (const key of ['a', 'b']) expect(planned.slices.get(key)).toMatchObject({ inEffect: true });
      const mine = serving(world).filter(({ key }) => key === 'a');
      expect(releases(mine)).toEqual(Array.from({ length: shape.replicas }, () => shape.release));
      const routed = planned.routes.find(({ host }) => host === 'a.localhost')?.upstreams;
      expect(routed?.map(({ instance }) => instance).sort()).toEqual(mine.map(({ id }) => id).sort());
      expect(world.seen.filter(({ key, retired }) => key === 'a' && retired).length).toBeLessThanOrEqual(2);
    }),
    { numRuns: 500 },
  );
});
