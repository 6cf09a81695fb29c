import { type Source, upwards, within } from './source.ts';

/** A range of versions as a source demands it: `>=3.14,<3.15`, `^8.2 || ^8.3`, `~> 1.14`. */
export interface Demand {
  text: string;
  /** The file that says it. */
  path: string;
}

type Version = readonly number[];
interface Bound {
  from: Version;
  /** Excluded. */
  to: Version | undefined;
}

const longest = 200;

/** Whether a version of a program is within a range; undefined if the range cannot be read, which demands nothing then. */
export function allows(range: string, version: string): boolean | undefined {
  const own = versionOf(version);
  if (own === undefined || range.length > longest) return undefined;
  const alternatives = range.split(/\s*\|\|?\s*/).map(boundsOf);
  if (alternatives.some((one) => one === undefined)) return undefined;
  return alternatives.some((bounds) =>
    bounds?.every(({ from, to }) => compare(own, from) >= 0 && (to === undefined || compare(own, to) < 0)),
  );
}

/** The lowest version of a range, as far as it is written; '' where it has none. */
export function lowestOf(range: string): string {
  if (range.length > longest) return '';
  const found = range
    .split(/\s*\|\|?\s*/)
    .flatMap((one) => boundsOf(one) ?? [])
    .map(({ from }) => from)
    .filter((from) => compare(from, [0]) > 0)
    .toSorted(compare)
    .at(-1);
  return found === undefined ? '' : found.join('.');
}

/** Whether a version is older than all that a range allows. */
export function isTooOld(range: string, version: string): boolean {
  const own = versionOf(version);
  if (own === undefined || allows(range, version) !== false) return false;
  return range.split(/\s*\|\|?\s*/).every((one) => boundsOf(one)?.some(({ from }) => compare(own, from) < 0));
}

/** The version to take of a range: '' where the usual one of the builder will do, or else the lowest. */
export function takenOf(range: string, usual: string): string {
  return range === '' || allows(range, usual) !== false ? '' : lowestOf(range);
}

export function versionOf(text: string): Version | undefined {
  const found = /(\d+(?:\.\d+){0,3})/.exec(text.slice(0, longest))?.[1];
  return found?.split('.').map(Number);
}

export function compare(one: Version, other: Version): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const comparator = /^(>=|<=|===?|!=|~>|~=|[<>=^~])?\s*v?(\d+(?:\.\d+)*)((?:\.[x*])*)(?:-[\w.]+)?(?:@\w+)?$/i;

/** Bounds that hold together; undefined if one of them cannot be read. */
function boundsOf(text: string): Bound[] | undefined {
  const plain = text.trim().replace(/["']/g, '');
  if (plain === '' || plain === '*') return [];
  const span = /^v?([\d.]+)\s+-\s+v?([\d.]+)$/.exec(plain);
  const parts =
    span === null ? plain.replace(/([<>=~^!])\s+/g, '$1').split(/\s*,\s*|\s+/) : [`>=${span[1]}`, `<=${span[2]}`];
  const bounds = parts.map(boundOf);
  return bounds.some((one) => one === undefined) ? undefined : bounds.filter((one) => one !== undefined);
}

function boundOf(text: string): Bound | undefined {
  const [, sign = '', number = '', wild = ''] = comparator.exec(text) ?? [];
  if (number === '') return undefined;
  const version = number.split('.').map(Number);
  switch (sign) {
    case '>=':
      return { from: version, to: undefined };
    case '>':
      return { from: next(version), to: undefined };
    case '<':
      return { from: [0], to: version };
    case '<=':
      return { from: [0], to: next(version) };
    case '!=':
      return { from: [0], to: undefined };
    case '^':
      // Below 1 the first number that is not zero must not change.
      return { from: version, to: next(version.slice(0, Math.max(1, version.findIndex((one) => one > 0) + 1))) };
    case '~':
    case '~>':
    case '~=':
      return { from: version, to: next(version.slice(0, Math.max(1, version.length - 1))) };
    default:
      // `3` and `3.*` are all of 3.
      return { from: version, to: wild === '' && version.length > 2 ? next(version) : next(version.slice(0, 2)) };
  }
}

const next = (version: Version): number[] => version.map((one, at) => (at === version.length - 1 ? one + 1 : one));

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
