import type { Entry } from './read-tar.ts';

const block = 512;
const flags: Readonly<Record<Entry['type'], string>> = {
  ...{ file: '0', link: '1', symlink: '2', character: '3', block: '4', directory: '5', pipe: '6' },
};

/** The header of an entry, of time 0 and without names of users: the same entry has the same bytes. */
export function headerOf(entry: Entry): Buffer {
  const path = entry.type === 'directory' ? `${entry.path || '.'}/` : entry.path;
  const records: (readonly [string, string])[] = [...entry.attributes];
  if (path.length > 100) records.push(['path', path]);
  if (entry.target.length > 100) records.push(['linkpath', entry.target]);
  if (entry.size >= 8 ** 11) records.push(['size', String(entry.size)]);
  if (entry.uid >= 8 ** 7) records.push(['uid', String(entry.uid)]);
  if (entry.gid >= 8 ** 7) records.push(['gid', String(entry.gid)]);
  const own = plainHeader({ ...entry, path, flag: flags[entry.type] });
  if (records.length === 0) return own;
  const text = records
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => recordOf(key, value))
    .join('');
  const more = Buffer.from(text, 'latin1');
  const about = { mode: 0o644, uid: 0, gid: 0, target: '', device: [0, 0] as const };
  const before = plainHeader({ ...about, path: 'PaxHeader', flag: 'x', size: more.length });
  return Buffer.concat([before, more, padding(more.length), own]);
}

export function padding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

/** Two empty blocks end an archive. */
export const archiveEnd = Buffer.alloc(2 * block);

function plainHeader(entry: Omit<Entry, 'type' | 'attributes' | 'offset'> & { flag: string }): Buffer {
  const header = Buffer.alloc(block);
  header.write(entry.path.slice(0, 100), 0, 'latin1');
  octal(header, 100, 8, entry.mode);
  octal(header, 108, 8, entry.uid % 8 ** 7);
  octal(header, 116, 8, entry.gid % 8 ** 7);
  octal(header, 124, 12, entry.size % 8 ** 11);
  octal(header, 136, 12, 0);
  header.write('        ', 148, 'latin1');
  header.write(entry.flag, 156, 'latin1');
  header.write(entry.target.slice(0, 100), 157, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  octal(header, 329, 8, entry.device[0]);
  octal(header, 337, 8, entry.device[1]);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function octal(header: Buffer, at: number, length: number, value: number): void {
  header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
}

/** The length counts its own digits. */
function recordOf(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}
