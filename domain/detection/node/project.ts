import type { Source } from '../source.ts';
import { within } from '../source.ts';
import type { Manifest } from './manifest.ts';
import { everythingOf } from './scripts.ts';

/** A package as frameworks look at it. */
export interface Project {
  source: Source;
  folder: string;
  manifest: Manifest;
  /** Of its build, with the scripts that this calls. */
  buildText: string;
}

export function projectOf(source: Source, manifest: Manifest): Project {
  return { source, folder: manifest.folder, manifest, buildText: everythingOf(manifest, 'build') };
}

const kinds = ['ts', 'js', 'mjs', 'mts', 'cjs', 'cts'];

/** The text of a tool's configuration, whatever its ending. */
export function configOf({ source, folder }: Project, name: string): string {
  const path = kinds.map((kind) => within(folder, `${name}.${kind}`)).find((one) => source.has(one));
  return path === undefined ? '' : source.text(path);
}

/** A text that a configuration gives to a key, such as `outDir: 'build'`. */
export function saidOf(config: string, key: string): string | undefined {
  return new RegExp(`(?:^|[\\s{,])["']?${key}["']?\\s*:\\s*["'\`]([\\w./-]{1,200})["'\`]`, 'm').exec(config)?.[1];
}

/** A folder below the project's own, as it is; anything else is no folder to serve. */
export function plainFolder(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const folder = text.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  return folder === '' || folder.startsWith('/') || folder.split('/').includes('..') ? undefined : folder;
}

/** The folder that Netlify is told to publish: nobody says that without having tried it. */
export function publishedFolder({ source, folder }: Project): string | undefined {
  const text = source.text(within(folder, 'netlify.toml'));
  return plainFolder(/^[ \t]*publish[ \t]*=[ \t]*["']([^"'\n]{1,200})["']/m.exec(text)?.[1]);
}
