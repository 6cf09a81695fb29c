import { defineConfig } from 'vitest/config';

const never = ['**/node_modules/**', '.ballast/**'];
const pure = [
  'domain/**/*.test.ts',
  'workflows/**/state.test.ts',
  'workflows/recipe.test.ts',
  'api/operations.test.ts',
  'db/schemas.test.ts',
  'web/**/*.test.ts',
  'lint/**/*.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    projects: [
      // Rules without a world around them.
      { extends: true, test: { name: 'pure', include: pure, exclude: never } },
      // One room at a time, on real PostgreSQL and real Temporal that are started once a run.
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['**/*.test.ts'],
          exclude: [...never, ...pure, 'test/**/*.test.ts'],
          globalSetup: ['./test/ground/temporal-server.ts', './test/ground/ground.ts'],
        },
      },
      // The installation as users start it. Three at a time: these wait for timers and processes more than they compute.
      {
        extends: true,
        test: {
          name: 'installation',
          include: ['test/**/*.test.ts'],
          exclude: never,
          globalSetup: [
            './test/ground/temporal-server.ts',
            './test/installation/built-console.ts',
            './test/installation/prepare-home.ts',
          ],
          setupFiles: ['./test/installation/use-prepared-home.ts'],
          // Node loads the files itself: nothing is mocked, and each import is cheaper.
          experimental: { viteModuleRunner: false },
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
