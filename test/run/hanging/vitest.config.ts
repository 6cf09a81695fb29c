import { defineConfig } from 'vitest/config';
import { patient } from '../patience.ts';
import { Progress } from '../progress.ts';
import { runDirectory } from '../run-directory.ts';

/** A run that hangs, for `progress.test.ts`. */
export default defineConfig({
  test: {
    include: ['test/run/hanging/*ends.ts'],
    reporters: [new Progress({ every: 100, patience: patient(10_000) })],
    maxWorkers: 2,
    testTimeout: 500,
    env: { TMPDIR: runDirectory() },
    experimental: { viteModuleRunner: false, nodeLoader: !process.features.typescript },
  },
});
