import { expect } from 'vitest';
import { isServing, type Seen } from '../../agent/keep/observe/seen.ts';
import { isReleaseCommand } from '../../agent/keep/plan/plan-command.ts';
import { isSwitched, rolloutRecord } from '../../agent/keep/plan/rollout-record.ts';
import { fc } from '../run/drawn.ts';
import { rolled, second, World } from './planned-world.ts';

const release = ({ label }: Seen) => label.split('#')[0] ?? '';

const releaseCommand = { command: ['migrate'], timeoutSeconds: 120 };
const migrating = ({ seen }: World) => seen.filter((one) => one.state === 'running' && isReleaseCommand(one));

const events = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('release' as const), to: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('replicas' as const), to: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ kind: fc.constantFrom('crash', 'ready', 'unready', 'sick', 'refused', 'loop', 'gone'), to: fc.nat(9) }),
    fc.record({ kind: fc.constantFrom('killed', 'killed after writing', 'ingress'), to: fc.nat(9) }),
    fc.record({ kind: fc.constantFrom('well', 'well also'), to: fc.nat(9) }),
    fc.record({ kind: fc.constant('migrated' as const), to: fc.integer({ min: 0, max: 1 }) }),
    fc.record({ kind: fc.constant('pass' as const), to: fc.integer({ min: 1, max: 90 }) }),
  ),
  { maxLength: 80 },
);

/** The files and the machine, from which the next agent knows all that it does. */
function killed(world: World): void {
  world.rollouts = new Map(
    [...world.rollouts].map(([key, record]) => [key, rolloutRecord.parse(JSON.parse(JSON.stringify(record)))]),
  );
  world.seen = world.seen.filter(({ state }) => state !== 'preparing');
}

/** One release serves at a time, none is served less by a rollout, and every crash leads to one end. */
export function anyRollout(numRuns: number): void {
  fc.assert(
    fc.property(events, fc.boolean(), fc.boolean(), fc.boolean(), (happening, hasVolume, restarts, migrates) => {
      const world = new World();
      const more = hasVolume ? { volumes: [{ name: 'data' }] } : {};
      const process = hasVolume ? { mounts: [{ volume: 'data', path: '/data' }] } : {};
      let shape = { name: 'r1', replicas: 2 };
      let number = 0;
      const want = () => {
        number += 1;
        world.want(
          rolled('a', shape.name, {
            id: `d${number}`,
            replicas: shape.replicas,
            hosts: ['a.localhost'],
            more: migrates ? { ...more, rollout: { id: `d${number}`, digest: 'd', releaseCommand } } : more,
            process,
          }),
        );
      };
      want();
      world.settle();
      /** Where the last plan leads requests, and where they go: the same while the ingress listens. */
      let planned: string[] = world.step().routes.flatMap(({ upstreams }) => upstreams.map(({ instance }) => instance));
      let reached = planned;
      let inEffect = shape;
      for (const { kind, to } of happening) {
        const one = world.seen[to % Math.max(1, world.seen.length)];
        if (kind === 'release' || kind === 'replicas') {
          shape = kind === 'release' ? { ...shape, name: `r${to}` } : { ...shape, replicas: to };
          want();
        }
        for (const each of migrating(world)) if (kind === 'migrated') world.end(each, to);
        if (kind === 'pass') world.now += to * second;
        // All that runs has been ready for long.
        if (kind.startsWith('well'))
          for (const each of world.seen) if (each.state === 'running') Object.assign(each, { ready: true, since: 0 });
        if (kind === 'ingress') world.routed = !world.routed;
        if (restarts && kind === 'sick') world.restarts.set('a web', `token ${to}`);
        if (kind === 'killed') killed(world);
        if (kind === 'gone') world.seen = world.seen.filter((other) => other !== one);
        if (one !== undefined && !one.retired) {
          if (kind === 'refused' && one.run === 0) one.refused = 'No.';
          if (one.state === 'running') {
            if (kind === 'crash' || kind === 'loop') world.end(one);
            if (kind === 'ready' || kind === 'unready')
              Object.assign(one, { ready: kind === 'ready', since: world.now });
            if (kind === 'sick') Object.assign(one, { sick: 'sick', ready: false });
          }
          const told = { restarts: 3, seconds: 1, how: 'exited with code 1' };
          if (kind === 'loop') one.crashes = { count: 3, run: one.run, first: 0, longest: 1, how: told.how, told };
        }
        if (kind === 'killed after writing') {
          // The record is on disk, and nothing of that pass was done.
          world.rollouts = world.planned().rollouts;
          killed(world);
        }
        if (world.routed) reached = planned;
        const serves = () => world.seen.filter((seen) => isServing(seen) && reached.includes(seen.id));
        const before = serves().length;
        const { routes } = world.step();
        const record = world.rollouts.get('a');
        if (record === undefined) throw new Error('nothing is remembered');
        if (isSwitched(record) && record.rollout.id === `d${number}`) inEffect = shape;
        // A restart goes replica by replica, a volume is let go first, and fewer replicas wait for no ingress.
        const fewer = !world.routed && inEffect.name === shape.name;
        const stops = fewer || world.restarts.size > 0 || (hasVolume && record.stopped);
        if (!stops) expect(serves().length).toBeGreaterThanOrEqual(Math.min(before, inEffect.replicas));
        const ids = routes.flatMap(({ upstreams }) => upstreams.map(({ instance }) => instance));
        const served = new Set(world.seen.filter(({ id }) => ids.includes(id)).map(release));
        expect([...served].length).toBeLessThanOrEqual(1);
        for (const name of served) expect(name).toBe(inEffect.name);
        planned = ids;
        const working = world.seen.filter((seen) => seen.state === 'running' && !isReleaseCommand(seen));
        const running = working.map(({ label }) => label);
        // Each once, whatever happens, and one at a time.
        expect(world.commands).toEqual([...new Set(world.commands)]);
        expect(migrating(world).length).toBeLessThanOrEqual(1);
        if (hasVolume) expect(new Set(running).size).toBeLessThanOrEqual(1);
      }
      world.routed = true;
      const twin = world.copy();
      killed(twin);
      for (const each of [world, twin]) {
        each.settle();
        const phase = each.rollouts.get('a')?.rollout.phase;
        const end = phase === 'done' ? shape : inEffect;
        expect(['done', 'returned']).toContain(phase);
        expect(each.step().slices.get('a')?.inEffect).toBe(phase === 'done');
        expect(each.seen.filter(isServing).map(release)).toEqual(Array.from({ length: end.replicas }, () => end.name));
      }
    }),
    { numRuns },
  );
}
