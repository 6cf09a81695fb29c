import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { compiledCode } from './test/ground/bundle-cache.ts';
import { Closing } from './test/run/closing.ts';
import { LongestFirst } from './test/run/longest-first.ts';
import { measurePatience } from './test/run/patience.ts';
import { Progress } from './test/run/progress.ts';
import { runDirectory } from './test/run/run-directory.ts';
import { drawSeed } from './test/run/seed.ts';
import { endings, type Tier } from './test/run/tiers.ts';

const tier = (process.env.TEST_TIER ?? 'rules') as Tier;
const named = `*${endings[tier]}`;
const otherTiers = Object.values(endings).filter((ending) => ending !== endings[tier] && ending !== endings.rules);
const never = ['**/node_modules/**', '.ballast/**', ...otherTiers.map((ending) => `**/*${ending}`)];
const pure = [
  `domain/**/${named}`,
  'workflows/**/state.test.ts',
  'api/operations.test.ts',
  'db/schemas.test.ts',
  // Where a worker of Temporal has been in the process, its hook on promises fails at those of web streams.
  'backup/backup.test.ts',
  `test/{chaos,run}/**/${named}`,
  `lint/**/${named}`,
];
const web = [`web/**/${named}`];
const machines = ['agent', 'machine', 'runtime'];
/** Tests of the agent that go through a real API, and so stand on the ground of `rooms`. */
const byApi = [
  `agent/builders/${named}`,
  `agent/builders/{docker,source}/**/${named}`,
  `agent/images/control-plane-access${endings[tier]}`,
];
// Node loads the code as it is, and once a worker: no file of tests may leave anything behind for the next one. A Node
// that is too old for that, which `npx vitest` may take, leaves it to Vite.
const shared = {
  isolate: false,
  experimental: { viteModuleRunner: !process.features.typescript, nodeLoader: false },
  env: { NODE_COMPILE_CACHE: compiledCode },
};
const [run, seed, patience] = [runDirectory(), drawSeed(), measurePatience()];
const closing = new Closing({ run, seed });

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than CI has cores: many of them wait for timers and processes.
    maxWorkers: 3,
    // Against what hangs, and no measure: a busy machine takes its time.
    testTimeout: 300_000 * Number(patience),
    hookTimeout: 300_000 * Number(patience),
    provide: { seed },
    // Samples that are kept from run to run stay outside of the run's own directory.
    env: { TMPDIR: run, TEST_CACHE: tmpdir(), TEST_PATIENCE: patience },
    // On a terminal Vitest itself shows what runs.
    reporters: process.stdout.isTTY ? ['default', closing] : ['default', new Progress(), closing],
    sequence: { sequencer: LongestFirst },
    projects: [
      // Rules without a world around them.
      { extends: true, test: { name: 'pure', include: pure, exclude: never, ...shared } },
      // The console's rules, beside components that Node cannot read without Vite.
      { extends: true, test: { name: 'web', include: web, exclude: never, isolate: false } },
      // Rooms whose tests start programs all the time, and stand on no ground: a worker that has not loaded the world is small, and
      // a start takes it half as long.
      {
        extends: true,
        test: {
          name: 'machines',
          include: machines.map((room) => `${room}/**/${named}`),
          exclude: [...never, ...byApi],
          globalSetup: ['./test/run/temporal-server.ts'],
          ...shared,
        },
      },
      // One room at a time, on real PostgreSQL and real Temporal that are started once a run.
      {
        extends: true,
        test: {
          name: 'rooms',
          include: [`!(${[...machines, 'test'].join('|')})/**/${named}`, ...byApi],
          exclude: [...never, ...pure, ...web],
          globalSetup: [
            './test/run/temporal-server.ts',
            './test/registry/bucket-program.ts',
            './test/ground/ground.ts',
          ],
          ...shared,
        },
      },
      // The installation as users start it, beside the rooms: these wait for timers and processes more than they compute.
      // Where there is one only, its first start is one of its tests; many begin where a first start has ended.
      {
        extends: true,
        test: {
          name: 'installation',
          include: [`test/**/${named}`],
          exclude: [...never, ...pure],
          globalSetup: [
            './test/run/temporal-server.ts',
            './test/installation/built-console.ts',
            ...(tier === 'rules' ? [] : ['./test/run/home/prepare-home.ts']),
          ],
          setupFiles: tier === 'rules' ? [] : ['./test/run/home/use-prepared-home.ts'],
          // Node loads the files itself, and once a worker: nothing is mocked, and each file has an installation of its own.
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: !process.features.typescript },
          hookTimeout: 600_000 * Number(patience),
        },
      },
    ],
  },
});
