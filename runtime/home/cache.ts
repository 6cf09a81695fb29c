import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorCode, Refusal } from '../supervisor/refusal.ts';
import { lock } from './lock.ts';

/** Outside the checkout, so that a new clone or `git clean` does not cost another build. */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const xdg = env.XDG_CACHE_HOME;
  return join(xdg?.startsWith('/') ? xdg : join(env.HOME || homedir(), '.cache'), 'ballast');
}

interface Filling {
  cache: string;
  name: string;
  fill: (draft: string) => Promise<void>;
  onWait: () => void;
  /** Readable for other users: for programs that run as a user of their own. */
  shared?: boolean;
}

/**
 * A directory of the cache that is complete or not there: it is filled under another name and renamed. Two processes
 * that want the same one do the work once.
 */
export async function cached({ cache, name, fill, onWait, shared = false }: Filling): Promise<string> {
  const target = join(cache, name);
  if (existsSync(target)) return target;
  const mode = shared ? 0o755 : 0o700;
  try {
    mkdirSync(cache, { recursive: true, mode });
  } catch (error) {
    throw new Refusal(
      `The cache ${cache} cannot be written (${errorCode(error)}); make it writable or set XDG_CACHE_HOME to another directory.`,
    );
  }
  const held = await lock(join(cache, `${name}.lock`), onWait);
  try {
    if (existsSync(target)) return target;
    // Left behind by one that was killed while it filled; nobody else can be filling now.
    for (const entry of readdirSync(cache)) {
      if (entry.startsWith(`${name}.new-`)) rmSync(join(cache, entry), { recursive: true, force: true });
    }
    const draft = mkdtempSync(join(cache, `${name}.new-`));
    try {
      await fill(draft);
      chmodSync(draft, mode);
      renameSync(draft, target);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    return target;
  } finally {
    held.release();
  }
}
