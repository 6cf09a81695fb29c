import type { FileHandle } from 'node:fs/promises';
import { Refusal } from '../../../program/refusal.ts';

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

/** An entry of an archive. Texts are latin1, so that each character is a byte, whatever the name was written in. */
export interface Entry {
  /** Without `./`, `/` in front and at the end. */
  path: string;
  type: 'file' | 'link' | 'symlink' | 'character' | 'block' | 'directory' | 'pipe';
  mode: number;
  uid: number;
  gid: number;
  /** Of a link and a symlink. */
  target: string;
  /** Of a device. */
  device: readonly [number, number];
  /** Extended attributes: names with their bytes. */
  attributes: readonly (readonly [string, string])[];
  /** Of a file: where its content is. */
  offset: number;
  size: number;
}

const largestExtension = 1024 * 1024;
const mostEntries = 1_000_000;
const types: Readonly<Record<string, Entry['type']>> = {
  ...{ '0': 'file', '\0': 'file', '7': 'file', '1': 'link', '2': 'symlink' },
  ...{ '3': 'character', '4': 'block', '5': 'directory', '6': 'pipe' },
};

/**
 * The entries of an archive. Read here and not by a package, because extended attributes are bytes: the rights of a program
 * would not survive being made a text.
 */
export async function readTar(file: FileHandle): Promise<Entry[]> {
  const entries: Entry[] = [];
  let said: Record<string, string> = {};
  const header = Buffer.alloc(block);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(header, 0, block, at);
    at += block;
    if (bytesRead === 0 || header.every((byte) => byte === 0)) return entries;
    if (bytesRead < block) throw new Refusal('A layer of the built image is cut off.');
    const flag = String.fromCharCode(header[156] ?? 0);
    const size = said.size === undefined ? numberAt(header, 124, 12) : Number(said.size);
    const next = at + Math.ceil(size / block) * block;
    if ('xgLK'.includes(flag)) {
      if (size > largestExtension) throw new Refusal('A layer of the built image has too long a name.');
      const bytes = Buffer.alloc(size);
      await file.read(bytes, 0, size, at);
      if (flag === 'x') said = { ...said, ...recordsOf(bytes.toString('latin1')) };
      if (flag === 'L') said.path = untilZero(bytes.toString('latin1'));
      if (flag === 'K') said.linkpath = untilZero(bytes.toString('latin1'));
      at = next;
      continue;
    }
    const type = types[flag];
    if (type === undefined) throw new Refusal(`A layer of the built image has an entry of the unknown type "${flag}".`);
    const content = type === 'file' ? size : 0;
    entries.push(entryOf(header, type, said, { offset: at, size: content }));
    if (entries.length > mostEntries) throw new Refusal('A layer of the built image has more than 1,000,000 files.');
    said = {};
    if (type === 'file') at = next;
  }
}

function entryOf(
  header: Buffer,
  type: Entry['type'],
  said: Readonly<Record<string, string>>,
  content: { offset: number; size: number },
): Entry {
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? textAt(header, 345, 155) : '';
  const name = textAt(header, 0, 100);
  return {
    path: plain(said.path ?? (prefix === '' ? name : `${prefix}/${name}`)),
    type,
    mode: numberAt(header, 100, 8) & 0o7777,
    uid: Number(said.uid ?? numberAt(header, 108, 8)),
    gid: Number(said.gid ?? numberAt(header, 116, 8)),
    target: said.linkpath ?? textAt(header, 157, 100),
    device: [numberAt(header, 329, 8), numberAt(header, 337, 8)],
    attributes: Object.entries(said).filter(([key]) => key.startsWith('SCHILY.xattr.')),
    ...content,
  };
}

export function plain(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** `<length> <key>=<value>\n`, one after the other. */
function recordsOf(text: string): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < text.length; ) {
    const length = Number.parseInt(text.slice(at, at + 20), 10);
    const begin = text.indexOf(' ', at) + 1;
    const equals = text.indexOf('=', begin);
    if (!(length > 0) || begin === 0 || equals < 0) throw new Refusal('A layer of the built image cannot be read.');
    records[text.slice(begin, equals)] = text.slice(equals + 1, at + length - 1);
    at += length;
  }
  return records;
}

function textAt(header: Buffer, at: number, length: number): string {
  return untilZero(header.toString('latin1', at, at + length));
}

function untilZero(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** Octal digits, or bytes if the first bit is set. */
function numberAt(header: Buffer, at: number, length: number): number {
  const [first = 0] = header.subarray(at);
  if (first < 128) return Number.parseInt(textAt(header, at, length).trim() || '0', 8);
  return header.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, first & 127);
}
