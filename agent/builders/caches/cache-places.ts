import type { BuildPlan } from '../../../domain/detection/build-plan.ts';

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

export function placeOf(name: string): string {
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
