import { objectOf, type Source, within } from '../source.ts';
import type { Demand } from '../versions.ts';
import { saidVersionOf } from '../versions.ts';
import type { Manifest } from './manifest.ts';

/** Lines with long-term support, newest first: an open range takes the first of them that it allows. */
const supported = [24, 22, 20, 18, 16, 14, 12, 10, 8];
const codenames: Readonly<Record<string, string>> = {
  krypton: '24',
  jod: '22',
  iron: '20',
  hydrogen: '18',
  gallium: '16',
  fermium: '14',
};

/** The version of Node that the files of one of the folders demand, and the file that does. */
export function nodeVersionOf(
  source: Source,
  folders: readonly { folder: string; manifest: Manifest | undefined }[],
): { version: string; path: string } | undefined {
  for (const { folder, manifest } of folders) {
    for (const [path, said] of demands(source, folder, manifest)) {
      const version = resolved(said);
      if (version !== undefined) return { version, path };
    }
  }
  return undefined;
}

/** The range of `engines`, which package managers hold the machine's Node to. */
export function nodeDemandOf(manifests: readonly (Manifest | undefined)[]): Demand | undefined {
  for (const manifest of manifests) {
    const said = objectOf(manifest?.said.engines)?.node;
    if (manifest !== undefined && typeof said === 'string') return { text: said, path: manifest.path };
  }
  return undefined;
}

function demands(source: Source, folder: string, manifest: Manifest | undefined): [string, string][] {
  const file = (name: string): string => within(folder, name);
  const said = (name: string): [string, string] => [file(name), source.text(file(name)).trim().split('\n')[0] ?? ''];
  const tools = /^node(?:js)?[ \t]+(\S+)/m.exec(source.text(file('.tool-versions')))?.[1] ?? '';
  const pinned = saidVersionOf(source, folder, 'node');
  const volta = objectOf(manifest?.said.volta)?.node;
  const engines = objectOf(manifest?.said.engines)?.node;
  return [
    said('.nvmrc'),
    said('.node-version'),
    [file('.tool-versions'), tools],
    [pinned.path, pinned.version],
    [file('package.json'), typeof volta === 'string' ? volta : ''],
    [file('package.json'), typeof engines === 'string' ? engines : ''],
  ];
}

/** A version as it is pinned, or the major version to take of a range; undefined if it says nothing. */
export function resolved(said: string): string | undefined {
  const text = said.trim().toLowerCase();
  if (text.length > 200) return undefined;
  if (/^(?:lts(?:\/\*)?|node|latest|current|stable|\*)$/.test(text)) return String(supported[0]);
  const named = /^lts\/(\w+)$/.exec(text)?.[1];
  if (named !== undefined) return codenames[named];
  const exact = /^v?(\d+)(?:\.(\d+)(?:\.(\d+))?)?$/.exec(text);
  if (exact !== null) return text.replace(/^v/, '');
  const ranges = text.split('||').map(boundsOf);
  const allowed = (major: number): boolean =>
    ranges.some((bounds) => bounds !== undefined && major >= bounds.from && major <= bounds.to);
  const found = supported.find(allowed) ?? ranges.find((bounds) => bounds !== undefined)?.from;
  return found === undefined ? undefined : String(found);
}

/** The major versions of which a range has one. */
function boundsOf(range: string): { from: number; to: number } | undefined {
  let [from, to] = [0, Number.POSITIVE_INFINITY];
  let known = false;
  const span = range.replace(/([\d.x*]+)\s+-\s+([\d.x*]+)/g, '>=$1 <=$2').replace(/([<>=~^])\s+/g, '$1');
  for (const [, sign, first, rest] of span.matchAll(/(>=|<=|>|<|=|\^|~)?v?(\d+)((?:\.[\dx*]+)*)/g)) {
    const major = Number(first);
    known = true;
    if (sign === '>=' || sign === '>') from = Math.max(from, major);
    else if (sign === '<=') to = Math.min(to, major);
    else if (sign === '<') to = Math.min(to, /[1-9]/.test(rest ?? '') ? major : major - 1);
    else [from, to] = [Math.max(from, major), Math.min(to, major)];
  }
  return known ? { from, to } : undefined;
}
