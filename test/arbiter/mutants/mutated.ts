import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { decide } from '../../../domain/deployments/arbiter.ts';

/** The arbiter with one rule changed. */
export interface Mutant {
  /** The rule that it breaks. */
  without: string;
  file: 'arbiter' | 'queue';
  /** Stands there once. */
  text: string;
  instead: string;
}

const files = ['arbiter', 'queue', 'arbiter-types', 'states'];
const arbiter = new URL('../../../domain/deployments/', import.meta.url);

export async function mutated({ file, text, instead }: Mutant): Promise<typeof decide> {
  const directory = await mkdtemp(join(tmpdir(), 'ballast-mutant-'));
  for (const name of files) {
    const source = await readFile(new URL(`${name}.ts`, arbiter), 'utf8');
    if (name === file && source.split(text).length !== 2) throw new Error(`${file}.ts does not say once: ${text}`);
    await writeFile(join(directory, `${name}.ts`), name === file ? source.replace(text, () => instead) : source);
  }
  const changed: { decide: typeof decide } = await import(pathToFileURL(join(directory, 'arbiter.ts')).href);
  return changed.decide;
}
