import { expect, test } from 'vitest';
import { rolled, second, slice, World } from '../../../test/agents/planned-world.ts';
import { isServing, type Seen } from '../observe/seen.ts';
import { processKey } from './keys.ts';

const lasting = (world: World) => world.seen.filter(({ retired }) => !retired);
const serving = (world: World) => world.seen.filter(isServing);
const releases = (seen: Seen[]) => seen.map(({ label }) => label.split('#')[0]);
const phase = (world: World) => world.rollouts.get('a')?.rollout.phase;
const hosts = ['a.localhost'];
const worker = { name: 'worker', kind: 'worker', stabilizationSeconds: 0 };

/** Releases to which requests are led now. */
function routed(world: World): (string | undefined)[] {
  const { routes } = world.step();
  const ids = routes.flatMap(({ upstreams }) => upstreams.map(({ instance }) => instance));
  return releases(world.seen.filter(({ id }) => ids.includes(id)));
}

function living(release = 'r1', shape: object = {}): World {
  const world = new World();
  world.want(rolled('a', release, { hosts, ...shape }));
  world.settle();
  expect(phase(world)).toBe('done');
  return world;
}

test('all new instances start beside the old ones, all addresses change in one step, and then the old ones end', () => {
  const more = { processes: [{ name: 'web', kind: 'http', port: 80, replicas: 2, stabilizationSeconds: 5 }, worker] };
  const world = living('r1', { more });
  world.want(rolled('a', 'r2', { hosts, more }));
  for (let step = 0; step < 3; step += 1) world.step();
  expect(releases(lasting(world)).sort()).toEqual(['r1', 'r1', 'r1', 'r2', 'r2', 'r2']);
  expect([phase(world), routed(world)]).toEqual(['starting', ['r1', 'r1']]);
  for (const one of lasting(world)) if (!one.ready) Object.assign(one, { ready: true, since: world.now });
  expect([routed(world), phase(world)]).toEqual([['r1', 'r1'], 'checking']);
  world.now += 4 * second;
  expect(routed(world)).toEqual(['r1', 'r1']);
  world.now += second;
  expect([routed(world), phase(world)]).toEqual([['r2', 'r2'], 'switching']);
  // Until the ingress has the new routes, nothing that the old ones lead to ends.
  world.routed = false;
  world.step();
  expect(serving(world)).toHaveLength(6);
  world.routed = true;
  world.step();
  expect(releases(serving(world))).toEqual(['r2', 'r2', 'r2']);
  world.settle();
  expect(phase(world)).toBe('done');
  expect(Object.keys(world.rollouts.get('a')?.rollout.at ?? {})).toEqual([
    ...['preparing', 'starting', 'checking', 'switching', 'draining', 'done'],
  ]);
});

test('no more than so many are on their way to be ready at one time', () => {
  const world = living('r1', { replicas: 4 });
  world.want(rolled('a', 'r2', { hosts, replicas: 4, more: { rollout: { id: 'r2', digest: 'd', maxParallel: 2 } } }));
  for (let step = 0; step < 5; step += 1) world.step();
  expect(releases(lasting(world)).filter((release) => release === 'r2')).toHaveLength(2);
  for (const one of lasting(world)) Object.assign(one, { ready: true });
  world.step();
  expect(releases(lasting(world)).filter((release) => release === 'r2')).toHaveLength(4);
});

test('a crash loop before it was healthy returns it, with the exit and the last lines, and so it stays', () => {
  const world = living();
  const before = lasting(world).map(({ id }) => id);
  world.want(rolled('a', 'r2', { hosts }));
  for (let step = 0; step < 3; step += 1) world.step();
  const failing = lasting(world).find(({ label }) => label.startsWith('r2'));
  if (failing === undefined) throw new Error('nothing was started');
  world.end(failing);
  const told = { restarts: 3, seconds: 4, how: 'exited with code 1' };
  failing.crashes = { count: 3, run: 3, first: 0, longest: 10, how: told.how, told };
  expect(routed(world)).toEqual(['r1', 'r1']);
  expect(world.rollouts.get('a')?.rollout).toMatchObject({
    id: 'r2',
    phase: 'returned',
    message: `${failing.id} exited with code 1, 3 times in a row, before it was healthy.`,
    failure: { process: 'web', instance: failing.id, exit: { code: 1 }, lines: ['the last line'] },
  });
  world.settle();
  expect(lasting(world).map(({ id }) => id)).toEqual(before);
  expect(world.step().slices.get('a')).toMatchObject({ inEffect: false });
  expect(world.step().slices.get('a')?.error).toBeUndefined();
  // The same rollout is not tried again, whatever else changes; the old release, wanted again, replaces nothing.
  world.want(rolled('a', 'r2', { hosts, replicas: 3 }));
  world.settle();
  expect(lasting(world).map(({ id }) => id)).toEqual(before);
  world.want(rolled('a', 'r1', { hosts, id: 'again' }));
  world.settle();
  expect([lasting(world).map(({ id }) => id), phase(world)]).toEqual([before, 'done']);
});

test.each([
  ['a refusal', { refused: 'The image is for another platform.' }, 0, 'The image is for another platform.'],
  ['time', { message: 'It is not ready: refused' }, 301, 'is not ready after 300 s: It is not ready: refused'],
])('%s returns it', (_, found, seconds, message) => {
  const world = living();
  world.want(rolled('a', 'r2', { hosts }));
  for (let step = 0; step < 3; step += 1) world.step();
  Object.assign(lasting(world).find(({ label }) => label.startsWith('r2')) ?? {}, found);
  world.now += 300 * second;
  world.step();
  if (seconds > 0) expect(phase(world)).toBe('starting');
  world.now += second;
  world.step();
  expect(world.rollouts.get('a')?.rollout).toMatchObject({
    phase: 'returned',
    message: expect.stringContaining(message),
  });
  world.settle();
  expect(releases(serving(world))).toEqual(['r1', 'r1']);
});

test.each([
  [{ more: { image: { layout: '/images/app' } } }, 'needs an image with a digest'],
  [{ hosts: ['taken.localhost'] }, 'The host taken.localhost already leads to b'],
  [{ process: { port: undefined } }, 'has no port: give it one.'],
])('a workload that cannot be run is returned at once: %#', (shape, message) => {
  const world = living();
  world.want(slice('b', { hosts: ['taken.localhost'] }));
  world.settle();
  world.want(rolled('a', 'r2', shape));
  world.step();
  expect(world.rollouts.get('a')?.rollout).toMatchObject({
    phase: 'returned',
    message: expect.stringContaining(message),
  });
  world.settle();
  expect(releases(serving(world).filter(({ key }) => key === 'a'))).toEqual(['r1', 'r1']);
});

test('another rollout that comes while one is under way begins from what is in effect', () => {
  const world = living();
  world.want(rolled('a', 'r2', { hosts }));
  for (let step = 0; step < 3; step += 1) world.step();
  world.want(rolled('a', 'r3', { hosts }));
  world.step();
  expect(new Set(releases(lasting(world)))).toEqual(new Set(['r1', 'r3']));
  expect(routed(world)).toEqual(['r1', 'r1']);
  world.settle();
  expect(releases(serving(world))).toEqual(['r3', 'r3']);
  // Also after the switch: its base is then the one that was switched to.
  world.want(rolled('a', 'r4', { hosts }));
  for (let step = 0; step < 3; step += 1) world.step();
  for (const one of lasting(world)) Object.assign(one, { ready: true, since: 0 });
  world.routed = false;
  world.step();
  expect(phase(world)).toBe('switching');
  world.want(rolled('a', 'r5', { hosts }));
  expect(routed(world)).toEqual(['r4', 'r4']);
  world.routed = true;
  world.step();
  expect(new Set(releases(lasting(world)))).toEqual(new Set(['r4', 'r5']));
});

test('another number of replicas replaces nothing', () => {
  const world = living();
  const before = lasting(world).map(({ id }) => id);
  world.want(rolled('a', 'r1', { hosts, id: 'more', replicas: 4 }));
  world.settle();
  expect([lasting(world).length, phase(world)]).toEqual([4, 'done']);
  expect(lasting(world).map(({ id }) => id)).toEqual(expect.arrayContaining(before));
  world.want(rolled('a', 'r1', { hosts, id: 'less', replicas: 1 }));
  world.settle();
  expect(before).toEqual(expect.arrayContaining(lasting(world).map(({ id }) => id)));
  expect(lasting(world)).toHaveLength(1);
});

test('with a volume the old instance ends before the new one starts, and is started again if that one fails', () => {
  const more = { volumes: [{ name: 'data' }] };
  const shape = { replicas: 1, process: { mounts: [{ volume: 'data', path: '/data' }] }, more };
  const world = living('r1', shape);
  const running = () => releases(world.seen.filter(({ state }) => state === 'running'));
  world.want(rolled('a', 'r2', { hosts, ...shape }));
  for (let step = 0; step < 6; step += 1) {
    world.step();
    expect(running().length).toBeLessThan(2);
  }
  expect(running()).toEqual(['r2']);
  Object.assign(lasting(world)[0] ?? {}, { refused: 'The volume is of a newer version.' });
  for (let step = 0; step < 8; step += 1) {
    world.step();
    expect(running().length).toBeLessThan(2);
  }
  world.settle();
  expect([releases(serving(world)), phase(world)]).toEqual([['r1'], 'returned']);
});

test('suspended, its instances end; resumed, new ones with its volume start when the old have ended', () => {
  const shape = (replicas: number) => ({
    replicas,
    process: { mounts: [{ volume: 'data', path: '/data' }] },
    more: { volumes: [{ name: 'data' }] },
  });
  const world = living('r1', shape(1));
  world.want(rolled('a', 'r1', { hosts, ...shape(0) }));
  world.step();
  // Resumed before the old instance has ended: the volume has one writer all the same.
  world.want(rolled('a', 'r1.2', { hosts, id: 'resumed', ...shape(1) }));
  for (let step = 0; step < 8; step += 1) {
    world.step();
    expect(world.seen.filter(({ state }) => state === 'running').length).toBeLessThan(2);
  }
  world.settle();
  expect([releases(serving(world)), phase(world)]).toEqual([['r1.2'], 'done']);
  world.want(rolled('a', 'r1.2', { hosts, id: 'resumed', ...shape(0) }));
  world.settle();
  expect([lasting(world), phase(world)]).toEqual([[], 'done']);
  expect(world.step().slices.get('a')).toMatchObject({ inEffect: true });
});

test('a schedule is healthy when it is installed; a restart after the rollout replaces replica by replica', () => {
  const world = new World();
  const cron = { kind: 'cron', port: undefined, schedule: '*/10 * * * *' };
  world.want(rolled('a', 'r1', { process: cron }));
  world.settle();
  expect([phase(world), world.step().slices.get('a')?.inEffect]).toEqual(['done', true]);

  const other = living();
  other.restarts.set(processKey('a', 'web'), 'token');
  other.step();
  expect(lasting(other)).toHaveLength(3);
  other.settle();
  expect([serving(other).length, phase(other)]).toEqual([2, 'done']);
});

test('a rollout is done when its release was asked as a visitor would, and says what came back', () => {
  const world = living();
  world.want(rolled('a', 'r2', { hosts }));
  const asked: string[] = [];
  const warning = { kind: 'host', by: 'django', status: 400, path: '/', host: 'a.localhost' } as const;
  let answers: readonly (typeof warning)[] | undefined;
  world.visits = (id) => {
    asked.push(id);
    return answers;
  };
  world.settle();
  expect([phase(world), new Set(asked)]).toEqual(['draining', new Set(['a r2'])]);
  expect(world.planned().visits).toEqual([{ id: 'a r2', host: 'a.localhost', instance: expect.anything() }]);
  answers = [warning];
  world.settle();
  expect(world.rollouts.get('a')?.rollout).toMatchObject({ phase: 'done', warnings: [warning] });
  expect(world.planned().visits).toEqual([]);
  // Nothing is asked of a release that no host name leads to.
  const worker = new World();
  worker.visits = () => undefined;
  worker.want(rolled('a', 'r1'));
  worker.settle();
  expect(phase(worker)).toBe('done');
});
