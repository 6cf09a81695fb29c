import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../domain/settings/settings.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { findTemporal } from '../../runtime/temporal-server/temporal-binary.ts';

const everyMilliseconds = 15_000;

/** Has the Temporal server built before any test waits for it: the first build takes minutes, and nobody should wait in silence. */
export default async function temporalServer(): Promise<void> {
  let toldAt = 0;
  const directory = mkdtempSync(join(tmpdir(), 'ballast-build-'));
  const { TEMPORAL_SERVER: explicit, TEMPORAL_ARCHIVE: archive } = readSettings(process.env);
  const found = findTemporal({
    explicit,
    archive,
    progress: (text) => {
      if (Date.now() - toldAt < everyMilliseconds) return;
      toldAt = Date.now();
      process.stderr.write(`${text}\n`);
    },
    buildLog: join(directory, 'build.log'),
  });
  await found.catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    // Thrown on, it would stand above a stack and a list of nothing.
    process.stderr.write(`\n${error.message}\n`);
    process.exit(1);
  });
  rmSync(directory, { recursive: true });
}
