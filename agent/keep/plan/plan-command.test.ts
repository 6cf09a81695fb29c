import { expect, test } from 'vitest';
import { rolled, type Shape, second, World } from '../../../test/agents/planned-world.ts';
import { isServing, type Seen } from '../observe/seen.ts';
import { isReleaseCommand } from './plan-command.ts';
import { rolloutRecord } from './rollout-record.ts';

const releaseCommand = { command: ['migrate'], timeoutSeconds: 60 };
const rollout = (world: World) => world.rollouts.get('a')?.rollout;
const commands = (world: World) => world.seen.filter(isReleaseCommand);
const running = (world: World) => commands(world).filter(({ state }) => state === 'running');
const releases = (seen: readonly Seen[]) => seen.map(({ label }) => label.split('#')[0]);
const instances = (world: World) => world.seen.filter((seen) => !isReleaseCommand(seen));

function migrating(release: string, { id = release, ...shape }: Shape & { id?: string } = {}, more: object = {}) {
  return rolled('a', release, {
    ...shape,
    more: { rollout: { id, digest: 'd', releaseCommand: { ...releaseCommand, ...more } } },
  });
}

/** A machine on which r1 serves, and the release command of r2 has begun. */
function releasing(more: object = {}): World {
  const world = new World();
  world.want(rolled('a', 'r1'));
  world.settle();
  world.want(migrating('r2', {}, more));
  for (let step = 0; step < 3; step += 1) world.step();
  expect([running(world).length, rollout(world)?.phase]).toEqual([1, 'releasing']);
  return world;
}

/** The files and the machine, from which the next agent knows all that it does. */
function killed(world: World): void {
  world.rollouts = new Map(
    [...world.rollouts].map(([key, record]) => [key, rolloutRecord.parse(JSON.parse(JSON.stringify(record)))]),
  );
  world.seen = world.seen
    .filter(({ state }) => state !== 'preparing')
    .map(({ message: _, ...seen }) => ({ ...seen, busy: false }));
}

function only(world: World): Seen {
  const [one, ...others] = running(world);
  if (one === undefined || others.length > 0) throw new Error(`${others.length} others run`);
  return one;
}

test('it runs once, before any instance of its release, and the release is put in place after it', () => {
  const world = releasing();
  world.step();
  expect([releases(instances(world)), releases(commands(world))]).toEqual([['r1', 'r1'], ['r2']]);
  world.end(only(world), 0);
  world.step();
  expect(rollout(world)?.phase).toBe('starting');
  world.settle();
  expect([rollout(world)?.phase, releases(instances(world).filter(isServing))]).toEqual(['done', ['r2', 'r2']]);
  expect(Object.keys(rollout(world)?.at ?? {})).toEqual([
    ...['preparing', 'releasing', 'starting', 'checking', 'switching', 'draining', 'done'],
  ]);
  expect(world.commands).toHaveLength(1);
  // Kept for its log, also while the next ones run.
  expect(commands(world)).toMatchObject([{ state: 'ended', retired: true }]);
});

test.each([
  ['exit', { code: 3 }, 'The release command exited with code 3.'],
  ['exit', { code: 137, signal: 'SIGKILL', outOfMemory: true }, 'was killed because it needs more memory'],
  ['unknown', {}, 'was interrupted while the release command ran. It may have run'],
] as const)('%s: it failed, nothing of its release was started, and what served goes on', (why, exit, message) => {
  const world = releasing();
  const own = only(world);
  Object.assign(own, { state: 'ended', exit: { run: 1, at: new Date(), ...exit } });
  world.step();
  expect(rollout(world)).toMatchObject({
    ...{ phase: 'returned', message: expect.stringContaining(message) },
    failure: { process: 'release-command', instance: own.id, releaseCommand: why, lines: ['the last line'] },
  });
  world.settle();
  expect([releases(instances(world)), world.commands.length]).toEqual([['r1', 'r1'], 1]);
  killed(world);
  world.settle();
  expect([rollout(world)?.phase, world.commands.length]).toEqual(['returned', 1]);
});

test('past its time it is ended, whatever it then exits with', () => {
  const world = releasing();
  const own = only(world);
  own.startedAt = world.now;
  world.now += 60 * second;
  expect(world.step().actions).toEqual([]);
  world.now += second;
  expect(world.planned().actions).toEqual([expect.objectContaining({ do: 'stop', id: own.id })]);
  world.step();
  expect(own.state).toBe('ended');
  own.exit = { run: 1, code: 0, at: new Date() };
  world.step();
  expect(rollout(world)).toMatchObject({
    ...{ phase: 'returned', message: 'The release command did not end within 60 s and was ended.' },
    failure: { releaseCommand: 'timed-out' },
  });
});

test.each([
  ['before it was begun', 1, 'done', 1],
  ['when its begin is on disk, and nothing was done', 2, 'returned', 0],
  ['while it runs: it is adopted', 3, 'done', 1],
] as const)('the agent is killed %s', (_, steps, end, times) => {
  const world = new World();
  world.want(migrating('r2'));
  for (let step = 0; step < steps; step += 1) world.step();
  if (times === 0) world.rollouts = world.planned().rollouts;
  killed(world);
  world.settle();
  expect([rollout(world)?.phase, world.commands.length]).toEqual([end, times]);
  if (end === 'returned') expect(rollout(world)?.failure?.releaseCommand).toBe('unknown');
});

test.each([
  [
    'its record cannot be read',
    (world: World) => {
      world.damaged.add('a');
      world.rollouts = new Map();
    },
  ],
  [
    'neither its record nor its instance is there',
    (world: World) => {
      world.damaged.add('a');
      world.rollouts = new Map();
      world.seen = instances(world);
    },
  ],
  [
    'its instance is gone',
    (world: World) => {
      world.seen = instances(world);
    },
  ],
])('%s: nobody knows whether it ran, and it does not run again', (_, lose) => {
  const world = releasing();
  lose(world);
  world.settle();
  expect(rollout(world)).toMatchObject({ phase: 'returned', failure: { releaseCommand: 'unknown' } });
  expect(world.commands).toHaveLength(1);
});

test('once it has ended it is remembered, whatever else of the workload changes meanwhile', () => {
  const world = releasing();
  world.end(only(world), 0);
  world.step();
  const environment = { COLOUR: 'green' };
  world.want(rolled('a', 'r2', { more: { rollout: { id: 'r2', digest: 'd', releaseCommand }, environment } }));
  world.settle();
  expect([rollout(world)?.phase, world.commands.length]).toEqual(['done', 1]);
});

test('a machine that has another journal than the one it was meant for does not run it', () => {
  const journal = '0198a000-0000-7000-8000-000000000001';
  const world = new World();
  world.want(migrating('r2', {}, { journal }));
  world.settle();
  expect([rollout(world)?.failure?.releaseCommand, world.commands]).toEqual(['unknown', []]);
  expect(rollout(world)?.at.releasing).toBeDefined();
  world.journal = journal;
  world.want(migrating('r2', { id: 'again' }, { journal }));
  world.settle();
  expect([rollout(world)?.phase, world.commands.length]).toEqual(['done', 1]);
});

test('given up while it runs it is ended, and the next one starts after that', () => {
  const world = releasing();
  const first = only(world);
  first.busy = true;
  world.want(migrating('r3'));
  for (let step = 0; step < 5; step += 1) world.step();
  expect(running(world)).toEqual([first]);
  expect(rollout(world)?.message).toBe(`The release command waits until ${first.id}, an earlier one, has ended.`);
  first.busy = false;
  world.step();
  expect(first).toMatchObject({ state: 'ended', retired: true });
  world.settle();
  expect([rollout(world)?.phase, world.commands.length]).toEqual(['done', 2]);
  // The release before is wanted again: whatever its rollout was, its command is none of it.
  world.want(rolled('a', 'r1', { id: 'back' }));
  world.settle();
  expect([rollout(world)?.phase, world.commands.length]).toEqual(['done', 2]);
});

test.each([
  ['it cannot be created', { refused: 'There is no program migrate.' }, 0, 'There is no program migrate.'],
  ['its image does not come', { message: 'No route.' }, 301, 'could not be prepared within 300 s: No route.'],
])('%s: it fails before it was started', (_, found, seconds, message) => {
  const world = new World();
  world.want(migrating('r2'));
  world.step();
  Object.assign(world.seen[0] ?? {}, found);
  world.now += seconds * second;
  world.step();
  expect(rollout(world)).toMatchObject({
    ...{ phase: 'returned', message: expect.stringContaining(message) },
    failure: { releaseCommand: 'not-started' },
  });
  expect(world.commands).toEqual([]);
});

test('a release that cannot be run has no command run for it', () => {
  const world = new World();
  world.want(migrating('r2', { process: { port: undefined } }));
  world.settle();
  expect([rollout(world)?.phase, world.seen]).toEqual(['returned', []]);
});
