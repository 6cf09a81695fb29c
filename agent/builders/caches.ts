import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, opendirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BuildPlan } from '../../domain/detection/build-plan.ts';
import { removeFolder } from './sandbox/mounts.ts';

const run = promisify(execFile);

/** The caches of one build while it has them. */
export interface HeldCaches {
  /** The folder of this name, and whether an earlier build has left something in it. */
  open(name: string): { directory: string; warm: boolean };
  release(): Promise<void>;
}

/**
 * Folders that outlive builds: `<home>/build-caches/<key>/<name>`. One build has those of a key at a time. The lock is in this
 * process, of which a home has one: it cannot outlive its holder, whose programs are ended before the next agent builds.
 */
export class BuildCaches {
  readonly #directory: string;
  readonly #limitBytes: number;
  readonly #held = new Map<string, Promise<void>>();

  constructor(home: string, limitBytes: number) {
    this.#directory = join(home, 'build-caches');
    this.#limitBytes = limitBytes;
  }

  /** Waits until no other build has them. */
  async hold(key: string, signal: AbortSignal): Promise<HeldCaches> {
    const name = folderOf(key);
    for (let before = this.#held.get(name); before !== undefined; before = this.#held.get(name)) {
      await Promise.race([before, aborted(signal)]);
      signal.throwIfAborted();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(name, promise);
    const own = join(this.#directory, name);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const now = new Date();
    utimesSync(own, now, now);
    return {
      open(cache) {
        const directory = join(own, folderOf(cache));
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        return { directory, warm: hasEntry(directory) };
      },
      release: async () => {
        this.#held.delete(name);
        resolve();
        // A bound that is not kept now is kept after the next build.
        await this.#collect().catch(() => undefined);
      },
    };
  }

  /** Deletes the least recently used beyond the bound; one that is too large by itself goes, too. */
  async #collect(): Promise<void> {
    if (!existsSync(this.#directory)) return;
    const keys = readdirSync(this.#directory)
      .map((name) => ({ name, usedAt: statSync(join(this.#directory, name)).mtimeMs }))
      .sort((one, other) => other.usedAt - one.usedAt);
    let left = this.#limitBytes;
    for (const { name } of keys) {
      const path = join(this.#directory, name);
      const bytes = await bytesOf(path);
      if (bytes <= left) left -= bytes;
      else if (!this.#held.has(name)) await this.#remove(name, path);
    }
  }

  /** Nobody begins to use it meanwhile. */
  async #remove(name: string, path: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(name, promise);
    await removeFolder(path).finally(() => {
      this.#held.delete(name);
      resolve();
    });
  }
}

/** Readable where the name allows it, and never a path. */
function folderOf(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,80}$/i.test(name)) return name;
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

/** However many it has: a build may have left millions. */
function hasEntry(directory: string): boolean {
  const entries = opendirSync(directory);
  try {
    return entries.readSync() !== null;
  } finally {
    entries.closeSync();
  }
}

async function bytesOf(path: string): Promise<number> {
  const { stdout } = await run('du', ['-s', '-x', '-B1', '--', path]).catch(() => ({ stdout: '0' }));
  return Number.parseInt(stdout, 10) || 0;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** By these variables tools keep what they fetch in a cache, by its name in the plan. */
const variables: Readonly<Record<string, (at: string) => Record<string, string>>> = {
  npm: (at) => ({ npm_config_cache: at }),
  pnpm: (at) => ({ npm_config_store_dir: at, npm_config_package_import_method: 'copy' }),
  yarn: (at) => ({ YARN_CACHE_FOLDER: at, YARN_ENABLE_GLOBAL_CACHE: 'false' }),
  bun: (at) => ({ BUN_INSTALL_CACHE_DIR: at }),
  pip: (at) => ({ PIP_CACHE_DIR: at }),
  pipenv: (at) => ({ PIPENV_CACHE_DIR: at }),
  poetry: (at) => ({ POETRY_CACHE_DIR: at }),
  uv: (at) => ({ UV_CACHE_DIR: at, UV_LINK_MODE: 'copy' }),
  'go-mod': (at) => ({ GOMODCACHE: at }),
  'go-build': (at) => ({ GOCACHE: at }),
  cargo: (at) => ({ CARGO_HOME: at }),
  // Archives have the time that the project names, or else this one.
  maven: (at) => ({ MAVEN_OPTS: `-Dmaven.repo.local=${at} -Dproject.build.outputTimestamp=1980-01-01T00:00:02Z` }),
  gradle: (at) => ({ GRADLE_USER_HOME: at }),
  composer: (at) => ({ COMPOSER_CACHE_DIR: at }),
  bundler: (at) => ({ BUNDLE_USER_CACHE: at }),
  hex: (at) => ({ HEX_HOME: at }),
  nuget: (at) => ({ NUGET_PACKAGES: at }),
};

function placeOf(name: string): string {
  return `/cache/${name}`;
}

export function cacheVariables(names: readonly string[]): Record<string, string> {
  return Object.assign({}, ...names.map((name) => variables[name]?.(placeOf(name))));
}

/**
 * Folders within the source in which a framework keeps its cache: those that the plan drops. They are links to the cache while
 * a step runs that uses it.
 */
export function linkedFolders(
  step: { caches: readonly string[] },
  { drop }: Pick<BuildPlan, 'drop'>,
): Map<string, string> {
  const [name] = step.caches.filter((one) => variables[one] === undefined);
  const folders = name === undefined ? [] : drop.filter((path) => path !== '.git' && path !== 'node_modules');
  return new Map(folders.map((path) => [path, `${placeOf(name ?? '')}/${path.replaceAll('/', '_')}`]));
}

/** The same as lines for a shell, before the command of the step. */
export function linkingLines(folders: ReadonlyMap<string, string>): string[] {
  return [...folders].map(
    ([path, at]) =>
      `mkdir -p -- ${quoted(at)} "$(dirname -- ${quoted(path)})" && rm -rf -- ${quoted(path)} && ln -s -- ${quoted(at)} ${quoted(path)}`,
  );
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
