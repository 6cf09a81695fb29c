import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { compiledCode } from './test/ground/bundle-cache.ts';
import { LongestFirst } from './test/run/longest-first.ts';
import { Progress } from './test/run/progress.ts';
import { runDirectory } from './test/run/run-directory.ts';

/** `npm run test:all`: with whole matrices (`cellsOf`) and with the files that take minutes (`*.all.test.ts`). */
const whole = process.env.TEST_ALL === 'true';
const never = ['**/node_modules/**', '.ballast/**', ...(whole ? [] : ['**/*.all.test.ts'])];
const pure = [
  'domain/**/*.test.ts',
  'workflows/**/state.test.ts',
  'api/operations.test.ts',
  'db/schemas.test.ts',
  'lint/**/*.test.ts',
];
const web = ['web/**/*.test.ts'];
// Node loads the code as it is, and once a worker: no file of tests may leave anything behind for the next one. A Node
// that is too old for that, which `npx vitest` may take, leaves it to Vite.
const shared = {
  isolate: false,
  experimental: { viteModuleRunner: !process.features.typescript, nodeLoader: false },
  env: { NODE_COMPILE_CACHE: compiledCode },
};

export default defineConfig({
  test: {
    pool: 'forks',
    // Two more than CI has cores: many of them wait for timers and processes.
    maxWorkers: 4,
    // Against what hangs, and no measure: a busy machine takes its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    provide: { whole },
    // Samples that are kept from run to run stay outside of the run's own directory.
    env: { TMPDIR: runDirectory(), TEST_CACHE: tmpdir() },
    // On a terminal Vitest itself shows what runs.
    reporters: process.stdout.isTTY ? ['default'] : ['default', new Progress()],
    sequence: { sequencer: LongestFirst },
    projects: [
      // Rules without a world around them.
      { extends: true, test: { name: 'pure', include: pure, exclude: never, ...shared } },
      // The console's rules, beside components that Node cannot read without Vite.
      { extends: true, test: { name: 'web', include: web, exclude: never, isolate: false } },
      // One room at a time, on real PostgreSQL and real Temporal that are started once a run.
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['**/*.test.ts'],
          exclude: [...never, ...pure, ...web, 'test/**/*.test.ts'],
          globalSetup: [
            './test/run/temporal-server.ts',
            './test/registry/bucket-program.ts',
            './test/ground/ground.ts',
          ],
          ...shared,
        },
      },
      // The installation as users start it, beside the rooms: these wait for timers and processes more than they compute.
      {
        extends: true,
        test: {
          name: 'installation',
          include: ['test/**/*.test.ts'],
          exclude: never,
          globalSetup: [
            './test/run/temporal-server.ts',
            './test/installation/built-console.ts',
            './test/run/prepare-home.ts',
          ],
          setupFiles: ['./test/run/use-prepared-home.ts'],
          // Node loads the files itself, and once a worker: nothing is mocked, and each file has an installation of its own.
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: !process.features.typescript },
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
