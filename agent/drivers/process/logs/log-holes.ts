import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Places } from '../places.ts';

const run = promisify(execFile);

/** Whether the beginning of a log can be freed. Tried, because only the file system knows. */
export async function whyNoHoles(places: Places, fallocate: string | undefined): Promise<string | undefined> {
  if (fallocate === undefined) return 'The program fallocate (util-linux) is missing, so logs grow: install it.';
  const probe = join(places.instances, '.probe');
  try {
    writeFileSync(probe, Buffer.alloc(8_192, 'x'));
    await run(fallocate, ['--punch-hole', '--offset', '0', '--length', '4096', probe]);
    return undefined;
  } catch {
    return `The file system of ${places.home} cannot free the beginning of a file, so logs grow.`;
  } finally {
    rmSync(probe, { force: true });
  }
}
