import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';

interface Disk {
  limit: number;
  counted: readonly string[];
  growing: readonly string[];
  full(): void;
}

/** A machine with less than this left is in danger, whoever has filled it. */
const reserveBytes = 256 * 2 ** 20;
/** Counting takes the machine's time: it is done for a twentieth of it at most. */
const rest = 20;
const leastMillis = 2_000;

/**
 * Folders are counted now and then, and at once when the disk has lost so much room that the limit may be reached: what
 * is written and deleted while it is open shows only there.
 */
export function diskWatch({ limit, counted, growing, full }: Disk): { look(): Promise<void>; stop(): void } {
  const stopping = new AbortController();
  let began: Promise<number> | undefined = growing.length > 0 ? usedBy(growing, stopping.signal) : Promise.resolve(0);
  let [free, left, due, busy] = [Number.POSITIVE_INFINITY, limit, 0, false];

  async function look(): Promise<void> {
    if (busy || stopping.signal.aborted) return;
    busy = true;
    try {
      const now = Math.min(...(await Promise.all([...counted, ...growing].map(freeBytes))));
      if (now < reserveBytes) return full();
      if (performance.now() < due && free - now < left) return;
      const since = performance.now();
      const before = (await began) ?? 0;
      const used = (await usedBy([...counted, ...growing], stopping.signal)) - before;
      if (stopping.signal.aborted) return;
      if (used > limit) return full();
      free = now;
      // Half of it, since what is freed by others hides what is written here.
      left = (limit - used) / 2;
      due = performance.now() + Math.max(leastMillis, (performance.now() - since) * rest);
    } finally {
      busy = false;
    }
  }

  return {
    look: () => look().catch(() => undefined),
    stop() {
      stopping.abort();
      began = undefined;
    },
  };
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Bytes on the disk, links counted once. Files that vanish meanwhile are none. */
async function usedBy(paths: readonly string[], signal: AbortSignal): Promise<number> {
  return await new Promise((resolve) => {
    execFile('du', ['-s', '-x', '-c', '-B1', '--', ...paths], { signal, env: { PATH: '/usr/bin:/bin' } }, (_, out) => {
      const [total] = /^\d+(?=\ttotal$)/m.exec(out) ?? [];
      resolve(Number(total ?? 0));
    });
  });
}
