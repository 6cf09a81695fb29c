import { defineConfig } from 'vitest/config';
import { Closing } from '../closing.ts';
import { runDirectory } from '../run-directory.ts';

/** A run with a failure and with tests that lack something, for `closing.test.ts`. */
export default defineConfig({
  test: {
    include: ['test/run/failing/fails.ts'],
    reporters: ['default', new Closing({ run: runDirectory(), seed: 7 })],
    env: { TMPDIR: runDirectory() },
    experimental: { viteModuleRunner: false, nodeLoader: !process.features.typescript },
  },
});
