import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { Driver, InstanceSpec } from '../../agent/drivers/driver.ts';
import type { ReadyImage } from '../../agent/drivers/image.ts';
import { identify } from '../../machine/process-identity.ts';
import { process as processSchema } from '../../protocol/workload.ts';
import { until } from '../ground/until.ts';
import { sampleTest as test } from '../images/sample-test.ts';
import { patient } from '../run/patience.ts';
import { processGround } from './process-ground.ts';

// Each is something that appears in the home while an instance is made and started: the agent is killed at that moment.
export const moments = ['copy', 'tree', 'draft', 'spec', 'launch', 'run', 'keeper', 'child'] as const;
export type Moment = (typeof moments)[number];

/** The next agent takes up all that one which is killed at these moments leaves. */
export function killedAgents(at: readonly Moment[]): void {
  describe('agents that are killed while they start an instance', () => {
    let here: Awaited<ReturnType<typeof processGround>>;
    let driver: Driver;
    let image: ReadyImage;
    beforeAll(async () => {
      here = await processGround();
      driver = await here.driver();
      image = await here.image();
    });
    afterEach(async () => {
      for (const { id } of await driver.list()) await driver.remove(id);
    });
    afterAll(() => here.close());

    test.each(at)('an agent killed when there is its %s is followed by one that starts it once', async (moment) => {
      const made = spec(image);
      const instance = join(here.home, 'instances', made.id);
      const signs = {
        // These two are there for a moment only, so what follows them will do.
        copy: () =>
          readdirSync(join(here.home, 'trees')).some((name) => name.startsWith('.draft-') || name === made.id),
        tree: () => existsSync(join(here.home, 'trees', made.id)),
        draft: () =>
          readdirSync(join(here.home, 'instances')).some((name) => /^\.draft-/.test(name) || name === made.id),
        spec: () => existsSync(instance),
        launch: () => existsSync(join(instance, 'launch')),
        run: () => existsSync(join(instance, 'runs/1')),
        keeper: () => existsSync(join(instance, 'runs/1/keeper')),
        child: () => existsSync(join(instance, 'runs/1/child')),
      };
      const program = `
      import { processDriver } from ${JSON.stringify(join(import.meta.dirname, '../../agent/drivers/process/process-driver.ts'))};
      import { readFileSync } from 'node:fs';
      const { home, spec } = JSON.parse(readFileSync(0, 'utf8'));
      const driver = await processDriver({ home, log: console });
      console.log('ready');
      await driver.create(spec);
      await driver.start(spec.id);
      setInterval(() => {}, 1000);`;
      const agent = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      agent.stdin.end(JSON.stringify({ home: here.home, spec: made }));
      const over = once(agent, 'exit');
      try {
        await once(agent.stdout, 'data');
        // Looks without a pause, so that it is killed as close to the moment as can be.
        for (const deadline = Date.now() + patient(10_000); !signs[moment](); )
          if (Date.now() > deadline) throw new Error(`There was never its ${moment}.`);
      } finally {
        agent.kill('SIGKILL');
        await over;
      }

      driver = await here.driver();
      await driver.create(made);
      await driver.start(made.id);
      const output = () => readFileSync(join(instance, 'stdout'), 'utf8');
      await until('that it listens', async () => output().includes('listening'));
      expect(running(join(here.home, 'trees', made.id))).toHaveLength(1);
      expect((await driver.list()).find(({ id }) => id === made.id)).toMatchObject({
        state: 'running',
        run: output().split('listening').length - 1,
      });
      expect(readdirSync(join(here.home, 'instances')).filter((name) => name.startsWith('.draft-'))).toEqual([]);
    });
  });
}

function spec(image: ReadyImage): InstanceSpec {
  const process = processSchema.parse({ name: 'web', kind: 'http', port: 8080 });
  const id = `web-${randomBytes(4).toString('hex')}`;
  return { id, key: 'shop/production', release: 'r1', process, image, environment: {}, volumes: [] };
}

/** The processes that run a program beneath the instance's files. */
function running(tree: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || identify(Number(name)) === undefined) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(tree) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
