import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { programVersion } from '../../domain/version.ts';
import { writeFileAtomically } from '../../machine/files.ts';
import { imageName } from '../update/image-name.ts';
import type { Bundle } from './make-bundle.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** All rooms that go into a bundle. */
const rooms = ['agent', 'domain', 'machine', 'outbound', 'protocol'];

/** The bundle of this version. Making it takes a second, so it is kept under the hash of all that goes into it. */
export async function keptBundle(cache: string): Promise<Bundle> {
  const name = `agent-${hashOfInputs()}.tar.gz`;
  const path = join(cache, name);
  const kept = readIfThere(path);
  if (kept !== undefined) {
    const digest = `sha256:${createHash('sha256').update(kept).digest('hex')}`;
    return { image: imageName(programVersion, digest), version: programVersion, digest, bytes: kept };
  }
  const { makeBundle } = await import('./make-bundle.ts');
  const bundle = await makeBundle();
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  writeFileAtomically(path, bundle.bytes);
  for (const other of readdirSync(cache)) {
    if (/^agent-[0-9a-f]{32}\.tar\.gz$/.test(other) && other !== name) rmSync(join(cache, other), { force: true });
  }
  return bundle;
}

function hashOfInputs(): string {
  const hash = createHash('sha256');
  for (const room of rooms) {
    const files = readdirSync(join(checkout, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|sh)$/.test(file) && !file.endsWith('.test.ts'))
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
