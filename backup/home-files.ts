import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Settings } from '../domain/settings/settings.ts';
import { writeFileAtomically } from '../machine/files.ts';
import { type Home, readHome, restoringFile } from '../runtime/home/home.ts';
import { readHomeRecord } from '../runtime/home/home-record.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { addBytes, archived, unpackArchive } from './archive.ts';

const keyEncryptionKeys = 'keys/key-encryption-keys.json';

/**
 * The files of the home that nothing can create again: `home.json` and the keys. Logs, caches, sockets and Temporal's configuration
 * come by themselves; the local agent enrols again, and what it runs is in the rows.
 */
export interface HomeFiles {
  /** By their path in the home. */
  files: Map<string, Buffer>;
}

export function readHomeFiles(home: Home, settings: Settings): HomeFiles {
  const files = new Map<string, Buffer>();
  files.set('home.json', readFileSync(join(home.path, 'home.json')));
  const keys = join(home.path, 'keys');
  for (const name of readdirSync(keys).sort())
    if (statSync(join(keys, name)).isFile() && !name.endsWith('.new'))
      files.set(`keys/${name}`, readFileSync(join(keys, name)));
  files.set(keyEncryptionKeys, readFileSync(settings.KEYS_FILE));
  return { files };
}

/** Whether the keys that rows are read with were the same before and after these were copied. */
export function sameKeys(before: HomeFiles, after: HomeFiles): boolean {
  const [one, other] = [before, after].map(({ files }) => files.get(keyEncryptionKeys));
  return one !== undefined && other !== undefined && one.equals(other);
}

export function homeArchive({ files }: HomeFiles): Readable {
  return archived(async (archive) => {
    for (const [name, bytes] of files) await addBytes(archive, name, bytes);
  });
}

/** Refuses a home that holds anything, but for what a restore left that did not finish, which is deleted. */
export function clearForRestore(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = readdirSync(path);
  if (found.includes(restoringFile)) {
    const data = readFileSync(join(path, restoringFile), 'utf8');
    const left = ['keys', 'postgres', 'registry', 'home.json', 'home.json.restored'].map((name) => join(path, name));
    for (const one of data === '' ? left : [...left, data]) rmSync(one, { recursive: true, force: true });
  } else if (found.length > 0) {
    throw new Refusal(
      `${path} is not empty, and a restore overwrites nothing; move it away, or set BALLAST_HOME to a new directory.`,
    );
  }
  writeFileAtomically(join(path, restoringFile), '');
}

/** Before data are put somewhere outside of the home: an interrupted restore deletes its own, and no others. */
export function noteData(path: string, data: string): void {
  writeFileAtomically(join(path, restoringFile), data);
}

/** The keys, and the home's record under another name: a home whose restore is not done is none. */
export async function restoreHomeFiles(source: Readable, path: string): Promise<void> {
  await unpackArchive(source, path, {
    at: (name) => {
      if (name === 'home.json') return 'home.json.restored';
      return /^keys\/[^/]+$/.test(name) ? name : undefined;
    },
  });
}

/** The record without what was true of the machine of before alone: ports, directories of sockets. */
export function restoredRecord(path: string, { forgetNamespace }: { forgetNamespace: boolean }): string {
  const restored = join(path, 'home.json.restored');
  const { ports: _, sockets: __, namespaceId, ...rest } = readHomeRecord(restored, readFileSync(restored, 'utf8'));
  const kept = forgetNamespace || namespaceId === undefined ? {} : { namespaceId };
  return `${JSON.stringify({ ...rest, ...kept, ports: {} }, undefined, 2)}\n`;
}

/** Last of all: from here on the home can be started. `told` is what the first start tells the database of. */
export function finishRestore(path: string, settings: Settings, told: object): Home {
  const { KEYS_FILE } = settings;
  const own = join(path, keyEncryptionKeys);
  if (KEYS_FILE !== own && !existsSync(KEYS_FILE)) {
    mkdirSync(dirname(KEYS_FILE), { recursive: true, mode: 0o700 });
    copyFileSync(own, KEYS_FILE);
  }
  writeFileAtomically(join(path, 'restored.json'), `${JSON.stringify(told)}\n`);
  rmSync(join(path, 'home.json.restored'), { force: true });
  rmSync(join(path, restoringFile));
  return readHome(path);
}
