import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

/** A lock, held until `release` or until the process ends, in whatever way. */
export interface Lock {
  release(): void;
}

/**
 * Takes a lock that the kernel lets go when its holder dies, so that nobody ever has to judge whether a lock file is
 * stale. Node has no flock; an exclusive transaction of SQLite on an empty file is one.
 */
export function tryLock(path: string): Lock | undefined {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return undefined;
    throw error;
  }
  return { release: () => file.close() };
}

const sqliteBusy = 5;

/** Waits for the lock; `onWait` is called once if somebody else holds it. */
export async function lock(path: string, onWait: () => void): Promise<Lock> {
  for (let first = true; ; first = false) {
    const taken = tryLock(path);
    if (taken) return taken;
    if (first) onWait();
    await wait(200);
  }
}
