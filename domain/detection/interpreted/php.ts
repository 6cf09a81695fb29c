import { shown, word } from '../build-plan.ts';
import { assetsOf } from '../node/assets.ts';
import { type Outcome, refused, server } from '../outcome.ts';
import { portOfCommand, portOfTemplate } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { objectOf, type Source, within } from '../source.ts';
import { pinnedWithin, takenOf } from '../versions.ts';

/** The part of a composer.json that detection reads. */
interface ComposerManifest {
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

function composerManifestOf(source: Source, folder: string): ComposerManifest | undefined {
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

interface PhpFramework {
  name: string;
  /** One of them is required, or one of the files is there. */
  packages: readonly string[];
  files?: readonly string[];
  /** The folder of the pages, relative. */
  root?: string;
  /** Commands after the front end's. */
  build?(manifest: ComposerManifest | undefined): string[];
  /** Before a release goes live, where the project has migrations. */
  release?: string;
  extensions?: readonly string[];
}

/** A framework is one entry; the first that fits is taken. */
export const phpFrameworks: readonly PhpFramework[] = [
  {
    name: 'laravel',
    packages: ['laravel/framework', 'laravel/lumen-framework'],
    root: 'public',
    release: 'php artisan migrate --force',
    extensions: ['pdo_mysql', 'pdo_pgsql'],
  },
  {
    name: 'symfony',
    packages: ['symfony/framework-bundle', 'symfony/symfony'],
    root: 'public',
    build: (manifest) => [
      ...(manifest?.packages.has('symfonycasts/sass-bundle') ? ['php bin/console sass:build'] : []),
      ...(manifest?.packages.has('symfony/asset-mapper') ? ['php bin/console asset-map:compile'] : []),
    ],
    release: 'php bin/console doctrine:migrations:migrate --no-interaction',
  },
  {
    name: 'wordpress',
    packages: ['roots/wordpress', 'johnpbloch/wordpress'],
    files: ['wp-load.php', 'wp-config-sample.php'],
    extensions: ['mysqli'],
  },
  { name: 'slim', packages: ['slim/slim'], root: 'public' },
  { name: 'cakephp', packages: ['cakephp/cakephp'], root: 'webroot', extensions: ['intl'] },
  { name: 'yii', packages: ['yiisoft/yii2'], root: 'web' },
  { name: 'codeigniter', packages: ['codeigniter4/framework'], root: 'public', extensions: ['intl'] },
];

/** Taken where the range allows it. */
const usual = '8.4';
const roots = ['public', 'web', 'webroot', 'www', 'htdocs', 'html'];

/** How a folder with a composer.json or an index.php is built; undefined if it has neither. */
export function fromPhp(source: Source, folder: string): Outcome | undefined {
  const manifest = composerManifestOf(source, folder);
  const has = (path: string): boolean => source.has(within(folder, path));
  if (manifest === undefined && !has('index.php')) {
    return has('composer.json')
      ? refused(
          'php',
          `${shown(within(folder, 'composer.json'))} is not a JSON object, or larger than 256 kB: correct it.`,
        )
      : undefined;
  }
  const framework = phpFrameworks.find(
    ({ packages, files = [] }) => packages.some((name) => manifest?.packages.has(name)) || files.some(has),
  );
  const root = rootOf(source, folder, manifest, framework);
  const web = ownOf(webOf(source, folder, 'php'));
  if (root === undefined && web === undefined) {
    const path = shown(manifest?.path ?? folder);
    return refused('php', `${path} is a library: no folder has an index.php, which a site of PHP needs.`);
  }
  return built(source, folder, { manifest, framework, root: root ?? '.', web });
}

interface Found {
  manifest: ComposerManifest | undefined;
  framework: PhpFramework | undefined;
  root: string;
  web: string | undefined;
}

function built(source: Source, folder: string, { manifest, framework, root, web }: Found): Outcome {
  const has = (path: string): boolean => source.has(within(folder, path));
  const path = manifest?.path ?? within(folder, 'index.php');
  const installs = manifest !== undefined;
  const locked = has('composer.lock');
  const install = 'composer install --no-dev --no-interaction --prefer-dist --optimize-autoloader';
  const assets = assetsOf(source, folder);
  const own = framework?.build?.(manifest) ?? [];
  const release = hasMigrations(source, folder) ? framework?.release : undefined;
  const version = versionOf(source, folder, manifest);
  const start = web ?? `frankenphp php-server --root ${word(root)} --listen :$PORT`;
  const told = {
    framework: framework?.name ?? '',
    packageManager: installs ? 'composer' : '',
    installCommand: installs ? install : '',
    buildCommand: [...(assets === undefined ? [] : [assets.build]), ...own].join(' && '),
    startCommand: start,
    signals: [
      { path, detail: framework === undefined ? 'A site of PHP' : `It is made with ${framework.name}` },
      ...(locked ? [{ path: within(folder, 'composer.lock'), detail: 'A lockfile of Composer' }] : []),
      ...(version.text === '' ? [] : [{ path: version.path, detail: `It demands PHP ${shown(version.text)}` }]),
      ...(manifest === undefined || manifest.extensions.length === 0
        ? []
        : [{ path, detail: `It demands the extensions ${manifest.extensions.slice(0, 20).join(', ')}` }]),
      ...(assets === undefined ? [] : [{ path: assets.path, detail: 'Its files are built by Node' }]),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
    ],
  };
  const build = {
    provider: 'php' as const,
    directory: folder,
    toolchain: [
      {
        name: 'php',
        version: version.taken,
        ...(version.demand === undefined ? {} : { demand: version.demand }),
        extensions: { demanded: manifest?.extensions ?? [], suggested: framework?.extensions ?? [] },
      },
      ...(installs ? [{ name: 'composer', version: '' }] : []),
      ...(assets?.toolchain ?? []),
    ],
    steps: [
      installs ? { name: 'install', command: install, caches: ['composer'] } : undefined,
      ...(assets?.steps ?? []),
      own.length === 0 ? undefined : { name: 'build', command: own.join(' && '), caches: [] },
    ],
    drop: ['node_modules'],
    environment: { APP_ENV: framework?.name === 'symfony' ? 'prod' : 'production', COMPOSER_ALLOW_SUPERUSER: '1' },
    told,
    release: release === undefined ? undefined : { line: release, path },
  };
  const port = portOfCommand(start, 'procfile') ??
    portOfTemplate(source, [folder]) ?? { port: 8080, portSource: 'framework' };
  return server(build, web ?? eitherServer(root), port, web === undefined ? 'server' : 'started');
}

/** FrankenPHP where it is there; elsewhere the server that PHP brings, with workers, which is for a few people at once. */
function eitherServer(root: string): string {
  const franken = `exec frankenphp php-server --root ${word(root)} --listen :$PORT`;
  const own = `PHP_CLI_SERVER_WORKERS=\${PHP_CLI_SERVER_WORKERS:-4} exec php -S 0.0.0.0:$PORT -t ${word(root)}`;
  return `if command -v frankenphp >/dev/null; then ${franken}; else ${own}; fi`;
}

/** Heroku's own programs are nowhere else. */
function ownOf(web: string | undefined): string | undefined {
  return web === undefined || /(?:^|\/)heroku-php-/.test(web) ? undefined : web;
}

function rootOf(
  source: Source,
  folder: string,
  manifest: ComposerManifest | undefined,
  framework: PhpFramework | undefined,
): string | undefined {
  const served = (below: string): boolean => source.has(within(folder, `${below}/index.php`));
  const said = /heroku-php-\S+(?:[ \t]+-\S+[ \t]+\S+)*[ \t]+([\w./-]{1,200})/.exec(
    webOf(source, folder, 'php') ?? '',
  )?.[1];
  const told = [said?.replace(/\/+$/, ''), manifest?.publicFolder, framework?.root, ...roots];
  const found = told.find((below) => below !== undefined && below !== '' && served(below));
  if (found !== undefined) return found;
  // Programs with pages beside their code, whatever the first of them is called.
  const atRoot = source.files(folder).some((name) => /\.php$/.test(name) && !/^(?:rector|ecs|\.php)/.test(name));
  return source.has(within(folder, 'index.php')) || (atRoot && pagesBelow(source, folder)) ? '.' : undefined;
}

function pagesBelow(source: Source, folder: string): boolean {
  return source.folders(folder).some((name) => source.has(within(folder, `${name}/index.php`)));
}

function hasMigrations(source: Source, folder: string): boolean {
  return ['database/migrations', 'migrations'].some((below) => source.files(within(folder, below)).length > 0);
}

/** The range in composer.json, and the version to take: one of asdf or mise that it allows, or else the usual one. */
function versionOf(source: Source, folder: string, manifest: ComposerManifest | undefined) {
  const range = manifest?.php ?? '';
  const pinned = pinnedWithin(source, folder, 'php', range);
  const taken = pinned.version || takenOf(range, usual);
  if (manifest === undefined || range === '') return { text: pinned.version, path: pinned.path, taken };
  return { text: range, path: manifest.path, taken, demand: { text: range, path: manifest.path } };
}
