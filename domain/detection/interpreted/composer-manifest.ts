import { objectOf, type Source, within } from '../source.ts';

/** The part of a composer.json that detection reads. */
export interface ComposerManifest {
  path: string;
  packages: ReadonlyMap<string, string>;
  /** The range of PHP; '' where it says none. */
  php: string;
  /** Names without `ext-`. */
  extensions: readonly string[];
  scripts: ReadonlySet<string>;
  /** Where Composer puts packages, or where the pages are, if that is not the usual folder. */
  vendor: string;
  publicFolder: string;
}

/** Part of every PHP that is built: no image lacks them, and no machine. */
const builtIn = new Set([
  ...['core', 'ctype', 'date', 'fileinfo', 'filter', 'hash', 'json', 'libxml', 'pcre', 'pdo', 'phar', 'posix'],
  ...['random', 'reflection', 'session', 'spl', 'standard', 'tokenizer'],
]);

export function composerManifestOf(source: Source, folder: string): ComposerManifest | undefined {
  const path = within(folder, 'composer.json');
  const said = source.object(path);
  if (said === undefined) return undefined;
  const texts = Object.entries(objectOf(said.require) ?? {}).flatMap(([name, range]): [string, string][] =>
    typeof range === 'string' ? [[name.toLowerCase(), range]] : [],
  );
  const packages = new Map(texts);
  const textOf = (value: unknown): string => (typeof value === 'string' && /^[\w./-]{1,200}$/.test(value) ? value : '');
  return {
    path,
    packages,
    php: packages.get('php') ?? packages.get('php-64bit') ?? '',
    extensions: [...packages.keys()]
      .flatMap((name) => /^ext-([a-z0-9_]{1,40})$/.exec(name)?.[1] ?? [])
      .filter((name) => !builtIn.has(name))
      .toSorted(),
    scripts: new Set(Object.keys(objectOf(said.scripts) ?? {})),
    vendor: textOf(objectOf(said.config)?.['vendor-dir']) || 'vendor',
    publicFolder: textOf(objectOf(said.extra)?.['public-dir']),
  };
}
