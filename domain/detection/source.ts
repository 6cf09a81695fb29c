import { largestText, type SourceTree } from './tree.ts';

/** A tree that was read once: each question after that costs what its folder holds, not what the source does. */
export interface Source {
  has(path: string): boolean;
  /** '' if the file is absent or too large to be read. */
  text(path: string): string;
  /** An object; undefined if the file is absent or says anything else. */
  object(path: string): Record<string, unknown> | undefined;
  /** Names of the files in a folder, not of those beneath. */
  files(folder: string): readonly string[];
  folders(folder: string): readonly string[];
  /** Paths of files of this name, nearest to the root first. */
  named(name: string): readonly string[];
}

/** Folders that hold what others wrote, and what no service is built from. */
const foreign = /(?:^|\/)(?:node_modules|vendor|bower_components|__pycache__|venv|\.[^/]+)\//;
const deepest = 8;

export function readSource(tree: SourceTree): Source {
  const paths = new Set<string>();
  const files = new Map<string, string[]>();
  const folders = new Map<string, Set<string>>();
  const names = new Map<string, string[]>();
  for (const path of tree.paths) {
    if (path.length > 4096 || foreign.test(path)) continue;
    const parts = path.split('/');
    if (parts.length > deepest) continue;
    paths.add(path);
    const name = parts.pop() ?? '';
    push(files, parts.join('/'), name);
    push(names, name, path);
    for (let depth = parts.length; depth > 0; depth -= 1) {
      const above = parts.slice(0, depth - 1).join('/');
      const known = folders.get(above) ?? new Set();
      const folder = parts[depth - 1] ?? '';
      if (known.has(folder)) break;
      folders.set(above, known.add(folder));
    }
  }
  const text = (path: string): string => {
    if (!paths.has(path)) return '';
    const said = tree.text(path) ?? '';
    return said.length > largestText ? '' : said.replace(/^\uFEFF/, '');
  };
  return {
    has: (path) => paths.has(path),
    text,
    object: (path) => asObject(text(path)),
    files: (folder) => files.get(folder) ?? [],
    folders: (folder) => [...(folders.get(folder) ?? [])],
    named: (name) => (names.get(name) ?? []).toSorted((one, other) => depthOf(one) - depthOf(other)),
  };
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

const depthOf = (path: string): number => path.split('/').length;

function asObject(text: string): Record<string, unknown> | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Undefined for arrays, null, and all that has no fields. */
export function objectOf(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Record<string, unknown>;
}

/** The path of a file in a folder; '' is the root. */
export const within = (folder: string, path: string): string =>
  folder === '' || path === '' ? folder + path : `${folder}/${path}`;

/** A folder and all above it, the root last. */
export function upwards(folder: string): string[] {
  const found = [folder];
  for (let at = folder; at !== ''; ) {
    at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '';
    found.push(at);
  }
  return found;
}
