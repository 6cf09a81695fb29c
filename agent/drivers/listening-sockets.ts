import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { type ListeningSocket, mostSockets } from '../../domain/deployments/listening.ts';

/** The tables of a machine with many connections are long, and sockets that listen stand first in them. */
const mostBytes = 256 * 1024;
const mostProcesses = 256;
const mostDescriptors = 4_096;
const listens = '0A';
/** The engine's own resolver in the network of each container. */
const resolverOfEngine = '127.0.0.11';

interface Entry extends ListeningSocket {
  inode: string;
}

/** The sockets that listen in the network of a process: all of them. Undefined where that cannot be read. */
export function socketsOfNetwork(pid: number): ListeningSocket[] | undefined {
  const text = tablesOf(pid);
  return text === undefined ? undefined : socketsIn(text);
}

/** As above, of a process that gets a network of its own: until it has one, the table is this machine's, and none is its own. */
export function socketsOfOwnNetwork(pid: number): ListeningSocket[] | undefined {
  const [own, ours] = [linkAt(`/proc/${pid}/ns/net`), linkAt('/proc/self/ns/net')];
  return own !== '' && own === ours ? [] : socketsOfNetwork(pid);
}

/** Those of these processes alone. Undefined where none is found and one of the processes cannot be looked into. */
export function socketsOfProcesses(pids: readonly number[]): ListeningSocket[] | undefined {
  const [first] = pids;
  const text = first === undefined ? undefined : tablesOf(first);
  if (text === undefined) return undefined;
  const inodes = new Set<string>();
  let closed = pids.length > mostProcesses;
  for (const pid of pids.slice(0, mostProcesses)) closed = !addInodes(pid, inodes) || closed;
  const found = entriesIn(text).filter(({ inode }) => inodes.has(inode));
  return closed && found.length === 0 ? undefined : plain(found);
}

/** The tables `/proc/net/tcp` and `tcp6`, one behind the other, as sockets that listen. */
export function socketsIn(tables: string): ListeningSocket[] {
  return plain(entriesIn(tables).filter(({ address }) => address !== resolverOfEngine));
}

function entriesIn(tables: string): Entry[] {
  return tables.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [, words, port] = /^((?:[0-9A-F]{8}){1,4}):([0-9A-F]{4})$/.exec(local) ?? [];
    if (state !== listens || words === undefined || port === undefined) return [];
    return [{ address: addressOf(words), port: Number.parseInt(port, 16), inode }];
  });
}

function plain(entries: readonly Entry[]): ListeningSocket[] {
  const all = new Map(entries.map(({ address, port }) => [`${port} ${address}`, { address, port }]));
  return [...all.values()]
    .sort((one, other) => one.port - other.port || (one.address < other.address ? -1 : 1))
    .slice(0, mostSockets);
}

/** Words of four bytes each, in the order of this machine. */
function addressOf(words: string): string {
  const bytes = (words.match(/.{8}/g) ?? []).flatMap((word) => {
    const of = Buffer.from(word, 'hex');
    return [...(littleEndian ? of.reverse() : of)];
  });
  if (bytes.length === 4) return bytes.join('.');
  // A socket for both families at an address of IPv4.
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (mapped) return bytes.slice(12).join('.');
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0));
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1);
}

const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function tablesOf(pid: number): string | undefined {
  const tables = ['tcp', 'tcp6'].flatMap((name) => beginningOf(`/proc/${pid}/net/${name}`) ?? []);
  return tables.length === 0 ? undefined : tables.join('\n');
}

function beginningOf(path: string): string | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(mostBytes);
      let length = 0;
      for (let read = -1; read !== 0 && length < mostBytes; length += read) {
        read = readSync(file, bytes, length, mostBytes - length, null);
      }
      return bytes.toString('latin1', 0, length);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** False if it cannot be looked into: it is another user's. One that has ended has none. */
function addInodes(pid: number, inodes: Set<string>): boolean {
  const directory = `/proc/${pid}/fd`;
  try {
    for (const name of readdirSync(directory).slice(0, mostDescriptors)) {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkAt(`${directory}/${name}`)) ?? [];
      if (inode !== undefined) inodes.add(inode);
    }
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
