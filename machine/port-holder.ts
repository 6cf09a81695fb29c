import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const listening = '0A';

/** Which process listens on a port, as far as this user may see: "node (process 4711)". Only Linux tells. */
export function portHolder(port: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const sockets = new Set(['tcp', 'tcp6'].flatMap((kind) => listenersOn(`/proc/net/${kind}`, port)));
  if (sockets.size === 0) return undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (holdsOne(pid, sockets)) return `${nameOf(pid)} (process ${pid})`;
  }
  return undefined;
}

/** Links as they stand in `/proc/<pid>/fd`. */
function listenersOn(table: string, port: number): string[] {
  return (read(table) ?? '')
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === listening && Number.parseInt(local.split(':')[1] ?? '', 16) === port
        ? [`socket:[${inode}]`]
        : [];
    });
}

function holdsOne(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((name) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${name}`));
      } catch {
        return false;
      }
    });
  } catch {
    // It is gone, or somebody else's.
    return false;
  }
}

function nameOf(pid: string): string {
  return (read(`/proc/${pid}/comm`) ?? 'a program').trim();
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
