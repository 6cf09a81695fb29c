import { defineConfig } from 'vitest/config';
import { runDirectory } from '../run-directory.ts';

/** A run of one test that never ends, for `end-run.test.ts`. */
export default defineConfig({
  test: {
    include: ['test/run/left-running/never-ends.ts'],
    testTimeout: 0,
    env: { TMPDIR: runDirectory() },
    experimental: { viteModuleRunner: false, nodeLoader: !process.features.typescript },
  },
});
