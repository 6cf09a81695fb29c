import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './files.ts';

const checkout = join(import.meta.dirname, '..');

interface Kept {
  /** Where it is kept, as `<name>-<hash>.<ending>`. */
  cache: string;
  name: string;
  ending: string;
  /** All rooms that go into it. */
  rooms: readonly string[];
  make: () => Promise<Buffer>;
}

/** A file that is made of sources and takes a while: kept under the hash of all that goes into it, and made anew when that changes. */
export async function keptFile({ cache, name, ending, rooms, make }: Kept): Promise<{ path: string; bytes: Buffer }> {
  const wanted = `${name}-${hashOf(rooms)}.${ending}`;
  const path = join(cache, wanted);
  const kept = readIfThere(path);
  if (kept !== undefined) return { path, bytes: kept };
  const bytes = await make();
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  writeFileAtomically(path, bytes);
  const older = new RegExp(`^${name}-[0-9a-f]{32}\\.${ending.replaceAll('.', '\\.')}$`);
  for (const other of readdirSync(cache))
    if (older.test(other) && other !== wanted) rmSync(join(cache, other), { force: true });
  return { path, bytes };
}

function hashOf(rooms: readonly string[]): string {
  const hash = createHash('sha256');
  for (const room of rooms) {
    const files = readdirSync(join(checkout, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|mjs|json|sh)$/.test(file) && !file.endsWith('.test.ts'))
      .sort();
    for (const file of files) hash.update(`${room}/${file}\0`).update(readFileSync(join(checkout, room, file)));
  }
  // The version, and those of the packages.
  for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(checkout, file)));
  return hash.digest('hex').slice(0, 32);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
