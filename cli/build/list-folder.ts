import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type DockerRules, dockerIgnores, dockerRules } from '../../domain/builds/docker-ignore.ts';
import type { SourceFile } from '../../domain/builds/manifest.ts';
import { linkFault } from '../../domain/builds/manifest.ts';
import type { SourceTree } from '../../domain/detection/tree.ts';
import { UsageError } from '../engine/command.ts';
import { RestRefusal } from '../engine/rest.ts';
import { said } from '../engine/table.ts';
import { asBytes, type GitRules, gitIgnores, gitRules } from './ignored.ts';

const deepest = 3;
const mostPaths = 5_000;
const longestText = 256 * 1024;
const leftOut: ReadonlySet<string> = new Set(['.git', 'node_modules', '.ballast', '.image']);

/** A folder as detection needs to see it, not far down: the cluster looks at all that was uploaded. */
export function folderTree(folder: string): SourceTree {
  return {
    paths: pathsIn(folder, '', deepest).slice(0, mostPaths).toSorted(),
    text(path) {
      try {
        const file = join(folder, path);
        return statSync(file).size > longestText ? undefined : readFileSync(file, 'utf8');
      } catch {
        return undefined;
      }
    },
  };
}

function pathsIn(folder: string, below: string, levels: number): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (leftOut.has(entry.name)) return [];
    if (entry.isDirectory()) return levels === 0 ? [] : pathsIn(folder, path, levels - 1);
    return entry.isFile() ? [path] : [];
  });
}

export interface ListedFile extends Pick<SourceFile, 'path' | 'kind' | 'size'> {
  /** Of a link. */
  target?: string;
}

/** Never sent: they are of this machine, or made again by the build. */
const never: ReadonlySet<string> = new Set(['.git', 'node_modules', '.ballast', '.image']);
/** No control plane takes more. */
const mostFiles = 200_000;

interface Walk {
  folder: string;
  /** Of the folder within its repository, as bytes, with a slash at its end. */
  prefix: string;
  docker: DockerRules;
  files: ListedFile[];
  signal: AbortSignal | undefined;
}

/** The files of a folder that `.gitignore` and `.dockerignore` leave, sorted by their paths. */
export async function listFolder(folder: string, signal?: AbortSignal): Promise<ListedFile[]> {
  const root = resolve(folder);
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(said`${folder} is no folder; name the folder to build.`);
  const { prefix, stack } = await rulesAbove(root);
  const docker = dockerRules((await textOf(join(root, '.dockerignore'), 'utf8')) ?? '');
  const files: ListedFile[] = [];
  await walk({ folder: root, prefix, docker, files, signal }, '', stack);
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function walk(walking: Walk, inside: string, above: readonly GitRules[]): Promise<void> {
  const { folder, prefix, docker, files, signal } = walking;
  signal?.throwIfAborted();
  const own = await textOf(join(folder, inside, '.gitignore'), 'latin1');
  const stack = own === undefined ? above : [...above, gitRules(own, `${prefix}${asBytes(inside)}`)];
  for (const entry of await entriesOf(join(folder, inside), inside)) {
    const bytes = entry.name.toString('latin1');
    const path = `${inside}${entry.name.toString('utf8')}`;
    const isDirectory = entry.isDirectory();
    if (never.has(bytes) || gitIgnores(stack, `${prefix}${asBytes(inside)}${bytes}`, isDirectory)) continue;
    const leftOut = dockerIgnores(docker, path);
    if (leftOut && !(isDirectory && docker.brings)) continue;
    if (!isUtf8(entry.name)) throw new UsageError(said`The name of ${path} is no UTF-8; rename it, or leave it out.`);
    if (isDirectory) await walk(walking, `${path}/`, stack);
    else if (entry.isFile() || entry.isSymbolicLink()) files.push(await fileOf(folder, path, entry.isSymbolicLink()));
    if (files.length <= mostFiles) continue;
    throw new UsageError(said`${folder} has more than ${mostFiles} files; leave some out by .gitignore.`);
  }
}

async function fileOf(folder: string, path: string, isLink: boolean): Promise<ListedFile> {
  const place = join(folder, path);
  if (!isLink) {
    const { size, mode } = await lstat(place).catch((error: unknown) => unreadable(path, error));
    return { path, kind: (mode & 0o111) === 0 ? 'file' : 'executable', size };
  }
  const bytes = await readlink(place, { encoding: 'buffer' }).catch((error: unknown) => unreadable(path, error));
  const target = bytes.toString('utf8');
  const fault = isUtf8(bytes) ? linkFault(path, target) : 'is a link to a path that is no UTF-8; remove it';
  if (fault !== undefined) throw new UsageError(said`${path} ${fault}, by .gitignore for one.`);
  return { path, kind: 'link', size: bytes.length, target };
}

async function entriesOf(directory: string, inside: string): Promise<Dirent<Buffer>[]> {
  return await readdir(directory, { withFileTypes: true, encoding: 'buffer' }).catch((error: unknown) =>
    unreadable(inside === '' ? directory : inside, error),
  );
}

/** The rules of the repository that the folder is a part of. The folder itself was named, so no rule leaves that out. */
async function rulesAbove(folder: string): Promise<{ prefix: string; stack: GitRules[] }> {
  for (let root = folder; ; root = dirname(root)) {
    if ((await stat(join(root, '.git')).catch(() => undefined)) === undefined) {
      if (root === dirname(root)) return { prefix: '', stack: [] };
      continue;
    }
    const names = relative(root, folder).split('/').filter(Boolean);
    const bases = names.map((_, at) =>
      names
        .slice(0, at)
        .map((name) => `${name}/`)
        .join(''),
    );
    const exclude = await textOf(join(root, '.git/info/exclude'), 'latin1').catch(() => undefined);
    const stack = exclude === undefined ? [] : [gitRules(exclude, '')];
    for (const base of bases) {
      const text = await textOf(join(root, base, '.gitignore'), 'latin1');
      if (text !== undefined) stack.push(gitRules(text, asBytes(base)));
    }
    return { prefix: asBytes(names.map((name) => `${name}/`).join('')), stack };
  }
}

async function textOf(path: string, encoding: 'utf8' | 'latin1'): Promise<string | undefined> {
  return await readFile(path, encoding).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    return unreadable(path, error);
  });
}

function unreadable(path: string, error: unknown): never {
  throw new UsageError(said`${path} cannot be read (${codeOf(error)}); make it readable, or leave it out.`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** A file whose blob the registry does not have. */
export interface MissingFile extends Omit<SourceFile, 'kind'> {
  /** Of a link: its content. */
  target?: string | undefined;
}

/** Told whenever bytes of blobs have arrived: how many of each so far. */
export type OnSent = (files: readonly MissingFile[], sent: (file: MissingFile) => number) => void;

/** The file is not what was hashed any more. */
export class Changed extends RestRefusal {
  constructor(path: string) {
    super(said`${path} changed while it was uploaded; run the command again.`);
  }
}
