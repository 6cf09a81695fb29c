import { kept, objectOf, type Source, within } from '../source.ts';

/** The part of a package.json that detection reads; whatever has another form than it should is not there. */
export interface Manifest {
  folder: string;
  path: string;
  name: string;
  said: Record<string, unknown>;
  scripts: ReadonlyMap<string, string>;
  dependencies: ReadonlySet<string>;
  /** Those of development, too. */
  packages: ReadonlySet<string>;
}

/** A command line that is longer than this was not written by a person. */
const longest = 10_000;

export const manifestOf = kept(readManifest);

function readManifest(source: Source, folder: string): Manifest | undefined {
  const path = within(folder, 'package.json');
  const said = source.object(path);
  if (said === undefined) return undefined;
  const dependencies = new Set(Object.keys(objectOf(said.dependencies) ?? {}));
  const development = Object.keys(objectOf(said.devDependencies) ?? {});
  return {
    folder,
    path,
    name: typeof said.name === 'string' && /^[@\w][\w./-]{0,213}$/.test(said.name) ? said.name : '',
    said,
    scripts: new Map(textsOf(said.scripts)),
    dependencies,
    packages: new Set([...dependencies, ...development]),
  };
}

function textsOf(value: unknown): [string, string][] {
  return Object.entries(objectOf(value) ?? {}).flatMap(([key, text]) =>
    typeof text === 'string' && text.trim() !== '' && text.length <= longest ? [[key, text.trim()]] : [],
  );
}

/** Whether a script is there and too long to be believed. */
export function longScripts(manifest: Manifest): string[] {
  return Object.entries(objectOf(manifest.said.scripts) ?? {}).flatMap(([key, text]) =>
    typeof text === 'string' && text.length > longest ? [key] : [],
  );
}
