import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

/** The key-encryption keys (KEKs), in a file that only their owner reads. `current` wraps what is made from now on. */
export interface KeysFile {
  current: string;
  keys: Map<string, Buffer>;
}

const keyBytes = 32;
const shape = z.object({ current: z.string(), keys: z.record(z.string(), z.base64()) });

/** Makes the file with a first key; one that is there stays as it is. Returns whether it was made. */
export async function createKeysFile(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = await writeBeside(path, withNewKey({ current: '', keys: new Map() }));
  try {
    // A link fails where a file is, so two that start at once cannot overwrite each other's key.
    await link(temporary, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

export async function readKeysFile(path: string): Promise<KeysFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'is missing' : 'cannot be read';
    throw new Error(`The keys file ${path} ${why}: restore the one that belongs to this database.`, { cause: error });
  }
  const keysFile = parse(text);
  if (keysFile === undefined) {
    throw new Error(`The keys file ${path} is damaged: restore the one that belongs to this database.`);
  }
  return keysFile;
}

/** Replaces the file in one step: a crash leaves the old or the new one. */
export async function writeKeysFile(path: string, keysFile: KeysFile): Promise<void> {
  const temporary = await writeBeside(path, keysFile);
  await rename(temporary, path);
  await syncDirectory(path);
}

export function withNewKey(keysFile: KeysFile): KeysFile {
  const id = randomUUID();
  return { current: id, keys: new Map([...keysFile.keys, [id, randomBytes(keyBytes)]]) };
}

/** Nothing of the content may reach an error message, so whatever is wrong is only: damaged. */
function parse(text: string): KeysFile | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const result = shape.safeParse(json);
  if (!result.success) return undefined;
  const keys = new Map(
    Object.entries(result.data.keys).map(([id, base64]) => [id, Buffer.from(base64, 'base64')] as const),
  );
  const { current } = result.data;
  const whole = keys.has(current) && [...keys.values()].every((key) => key.length === keyBytes);
  return whole ? { current, keys } : undefined;
}

async function writeBeside(path: string, { current, keys }: KeysFile): Promise<string> {
  const temporary = `${path}.${process.pid}.${randomUUID()}`;
  const text = JSON.stringify(
    { current, keys: Object.fromEntries([...keys].map(([id, key]) => [id, key.toString('base64')])) },
    null,
    2,
  );
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(`${text}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return temporary;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
