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
  /** Whether a Dockerfile says how a folder is built. */
  buildsDockerfiles: boolean;
  /** Paths of manifests of this name, nearest to the root first. */
  named(name: Manifest): readonly string[];
}

/** Folders that hold what others wrote, and what no service is built from. */
const foreign = /(?:^|\/)(?:node_modules|vendor|bower_components|__pycache__|venv|\.[^/]+)\//;
const deepest = 8;

/** Files that make a folder something by itself: the only ones that are looked for anywhere. */
export const manifests = [
  'package.json',
  'requirements.txt',
  'pyproject.toml',
  'Pipfile',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'composer.json',
  'Gemfile',
  'mix.exs',
  'deno.json',
  'deno.jsonc',
  'hugo.toml',
  // Any name with this ending.
  '*.csproj',
  'Dockerfile',
] as const;

type Manifest = (typeof manifests)[number];

export function readSource(tree: SourceTree): Source {
  const files = new Map<string, string[]>();
  const folders = new Map<string, Set<string>>();
  const names = new Map<string, string[]>(manifests.map((name) => [name, []]));
  const ignored = new Set<string>();
  for (const path of tree.paths) {
    const at = path.lastIndexOf('/');
    const folder = at === -1 ? '' : path.slice(0, at);
    const name = path.slice(at + 1);
    const known = files.get(folder);
    if (known !== undefined) known.push(name);
    else if (ignored.has(folder)) continue;
    else if (isForeign(folder)) {
      ignored.add(folder);
      continue;
    } else {
      files.set(folder, [name]);
      addFolder(folders, folder);
    }
    names.get(name.endsWith('.csproj') ? '*.csproj' : name)?.push(path);
  }
  for (const paths of names.values()) paths.sort((one, other) => depthOf(one) - depthOf(other));
  const sets = new Map<string, Set<string>>();
  const has = (path: string): boolean => {
    const at = path.lastIndexOf('/');
    const folder = at === -1 ? '' : path.slice(0, at);
    const known = sets.get(folder) ?? new Set(files.get(folder));
    sets.set(folder, known);
    return known.has(path.slice(at + 1));
  };
  const text = (path: string): string => {
    if (!has(path)) return '';
    const said = tree.text(path) ?? '';
    return said.length > largestText ? '' : said.replace(/^\uFEFF/, '');
  };
  return {
    has,
    text,
    object: (path) => asObject(text(path)),
    files: (folder) => files.get(folder) ?? [],
    folders: (folder) => [...(folders.get(folder) ?? [])],
    buildsDockerfiles: tree.buildsDockerfiles ?? true,
    named: (name) => (name === 'Dockerfile' && tree.buildsDockerfiles === false ? [] : (names.get(name) ?? [])),
  };
}

function isForeign(folder: string): boolean {
  return folder.length > 4096 || foreign.test(`${folder}/`) || depthOf(folder) >= deepest;
}

/** With all folders above it, up to the first that is known. */
function addFolder(folders: Map<string, Set<string>>, folder: string): void {
  for (let below = folder; below !== ''; ) {
    const at = below.lastIndexOf('/');
    const above = at === -1 ? '' : below.slice(0, at);
    const known = folders.get(above) ?? new Set();
    const name = below.slice(at + 1);
    if (known.has(name)) return;
    folders.set(above, known.add(name));
    below = above;
  }
}

const depthOf = (path: string): number => path.split('/').length;

function asObject(text: string): Record<string, unknown> | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** An answer of a function about a folder, kept with the source: folders of a workspace ask the same again and again. */
export function kept<Answer>(
  work: (source: Source, folder: string) => Answer,
): (source: Source, folder: string) => Answer {
  const answers = new WeakMap<Source, Map<string, { answer: Answer }>>();
  return (source, folder) => {
    const known = answers.get(source) ?? new Map<string, { answer: Answer }>();
    answers.set(source, known);
    const found = known.get(folder) ?? { answer: work(source, folder) };
    known.set(folder, found);
    return found.answer;
  };
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
