import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface PortHolder {
  pid: number;
  /** The name of its program, as `ps` shows it. */
  program: string;
}

/**
 * The processes that listen at a TCP port of this machine, as far as this user may see them. Only Linux tells; elsewhere,
 * and of processes of others where we are not root, none are found.
 */
export function portHolders(port: number): PortHolder[] {
  const sockets = new Set(listening(port).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return [];
  return entries('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && holdsOneOf(pid, sockets))
    .map((pid) => ({ pid, program: programOf(pid) }));
}

const listenState = '0A';

function listening(port: number): string[] {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0');
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    content(table)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === listenState && local?.endsWith(`:${hexadecimal}`))
      .flatMap((fields) => fields[9] ?? []),
  );
}

function holdsOneOf(pid: number, sockets: ReadonlySet<string>): boolean {
  const directory = `/proc/${pid}/fd`;
  return entries(directory).some((fd) => {
    try {
      return sockets.has(readlinkSync(`${directory}/${fd}`));
    } catch {
      return false;
    }
  });
}

function programOf(pid: number): string {
  const [program = ''] = content(`/proc/${pid}/cmdline`).split('\0');
  // A program may call itself anything, and this is printed.
  return (program.split('/').at(-1) ?? '').replaceAll(/[^\w.+-]/g, '?').slice(0, 64) || 'unknown';
}

function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function content(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The same for people: "node (process 4711)", if anybody can be seen. */
export function holdersText(port: number): string | undefined {
  const holders = portHolders(port).map(({ program, pid }) => `${program} (process ${pid})`);
  return holders.length === 0 ? undefined : holders.join(', ');
}
