import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheDirectory } from '../../runtime/home/cache.ts';
import { notRun } from '../run/not-run.ts';

const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../..', import.meta.url));

/**
 * An earlier version out of Git's history with the packages of its own lockfile, kept outside the checkout: they take
 * minutes to install. Answers its directory; undefined, and says what to do, where the history does not reach so far.
 */
export async function releasedVersion(commit: string): Promise<string | undefined> {
  const kept = join(cacheDirectory(), `checkout-${commit}`);
  if (existsSync(kept)) return kept;
  const known = await run('git', ['-C', checkout, 'cat-file', '-e', `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );
  if (!known) {
    notRun('upgrade', `fetch the history up to ${commit} (git fetch --unshallow)`);
    return undefined;
  }
  await mkdir(cacheDirectory(), { recursive: true });
  const draft = await mkdtemp(`${kept}.`);
  try {
    await run('git', ['-C', checkout, 'archive', '--output', join(draft, 'tree.tar'), commit]);
    await run('tar', ['-xf', 'tree.tar'], { cwd: draft });
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: draft });
    // Another file of tests may have made it meanwhile: both are the same.
    await rename(draft, kept).catch((error: unknown) => {
      if (!existsSync(kept)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return kept;
}
