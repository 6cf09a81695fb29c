import { type Source, upwards, within } from '../source.ts';
import { allows } from './ranges.ts';

/** A version as a file pins it; '' where none does. */
export interface Pinned {
  version: string;
  path: string;
}

const names: Readonly<Record<string, string>> = { nodejs: 'node', golang: 'go', 'dotnet-core': 'dotnet' };
/** Makers of Java whose versions are those of the language: `temurin-21.0.2`. Other languages have other programs there, such as pypy. */
const makers =
  '(?:adoptopenjdk|corretto|dragonwell|liberica|microsoft|openjdk|oracle|sapmachine|semeru|temurin|zulu)(?:-[a-z][a-z0-9]{0,20}){0,3}-';
const number = String.raw`(?:${makers})?v?(\d[\w.-]{0,40})`;
const line = new RegExp(String.raw`^([\w-]{1,40})[ \t]+${number}`, 'gm');
const entry = new RegExp(String.raw`^["']?([\w-]{1,40})["']?[ \t]*=[ \t]*\[?[ \t]*["']${number}`, 'gm');

/** The version that `.tool-versions` of asdf, or `mise.toml`, says of a tool, in a folder or the nearest one above that has any. */
export function saidVersionOf(source: Source, folder: string, tool: string): Pinned {
  for (const at of upwards(folder)) {
    const asdf = within(at, '.tool-versions');
    const version = versionIn(source.text(asdf), line, tool);
    if (version !== undefined) return { version, path: asdf };
    for (const file of ['mise.toml', '.mise.toml']) {
      const path = within(at, file);
      const tools = /^\[tools\][ \t]*\r?\n((?:[^[\n].*\n?|\n){0,200})/m.exec(source.text(path))?.[1] ?? '';
      const found = versionIn(tools, entry, tool);
      if (found !== undefined) return { version: found, path };
    }
  }
  return { version: '', path: '' };
}

/** The same, unless the source itself demands another one. */
export function pinnedWithin(source: Source, folder: string, tool: string, range: string): Pinned {
  const pinned = saidVersionOf(source, folder, tool);
  const isRefused = range !== '' && allows(range, pinned.version) === false;
  return isRefused ? { version: '', path: '' } : pinned;
}

function versionIn(text: string, of: RegExp, tool: string): string | undefined {
  for (const [, name = '', version = ''] of text.matchAll(of)) {
    // Of `1.18.3-otp-27` the first part.
    if ((names[name] ?? name) === tool) return version.replace(/-.*$/, '');
  }
  return undefined;
}
