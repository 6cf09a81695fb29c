import { shown } from '../build-plan.ts';
import { assetsOf } from '../node/assets.ts';
import { type Outcome, refused, server } from '../outcome.ts';
import { portOfCommand, portOfTemplate } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { type Source, within } from '../source.ts';
import { allows, saidVersionOf, takenOf } from '../versions.ts';

interface RubyFramework {
  name: string;
  gem: string;
  /** The files that make it one: without them the gem serves something else. */
  file: string;
  port: number;
  start(gems: ReadonlySet<string>): string;
  build?: string;
  release?: string;
  environment?: Record<string, string>;
}

const rackup = (gems: ReadonlySet<string>): string =>
  gems.has('puma') ? 'bundle exec puma -b tcp://0.0.0.0:$PORT' : 'bundle exec rackup --host 0.0.0.0 --port $PORT';

/** A framework is one entry; the first that fits is taken. */
export const rubyFrameworks: readonly RubyFramework[] = [
  {
    name: 'rails',
    gem: 'rails',
    file: 'config/application.rb',
    port: 3000,
    start: () => 'bundle exec rails server -b 0.0.0.0 -p $PORT',
    build: 'bundle exec rails assets:precompile',
    release: 'bundle exec rails db:migrate',
    environment: { RAILS_ENV: 'production', RAILS_LOG_TO_STDOUT: '1', RAILS_SERVE_STATIC_FILES: '1' },
  },
  {
    name: 'hanami',
    gem: 'hanami',
    file: 'config.ru',
    port: 2300,
    start: rackup,
    environment: { HANAMI_ENV: 'production' },
  },
  { name: 'sinatra', gem: 'sinatra', file: 'config.ru', port: 9292, start: rackup },
  { name: 'rack', gem: '', file: 'config.ru', port: 9292, start: rackup },
];

/** How a folder with a Gemfile is built; undefined if it has none. */
export function fromRuby(source: Source, folder: string): Outcome | undefined {
  const path = within(folder, 'Gemfile');
  if (!source.has(path)) {
    const rack = within(folder, 'config.ru');
    return source.has(rack)
      ? refused('ruby', `${shown(rack)} is of Ruby, and no Gemfile says which packages it needs: add one beside it.`)
      : undefined;
  }
  const text = source.text(path);
  const gems = new Set([...text.matchAll(/^[ \t]*gem[ \t(]+["']([\w.-]{1,100})["']/gm)].map((match) => match[1] ?? ''));
  const framework = rubyFrameworks.find(
    ({ gem, file }) => (gem === '' || gems.has(gem)) && source.has(within(folder, file)),
  );
  const web = webOf(source, folder, 'ruby');
  const start = web ?? framework?.start(gems);
  if (start === undefined) {
    return refused(
      'ruby',
      `${shown(path)} was found, and neither config.ru nor a Rails application beside it: add a Procfile with a line such as "web: bundle exec puma -p $PORT".`,
    );
  }
  const locked = source.has(within(folder, 'Gemfile.lock'));
  const install = `bundle config set --local path vendor/bundle && bundle config set --local without development:test && ${locked ? 'bundle config set --local frozen true && ' : ''}bundle install`;
  const assets = assetsOf(source, folder);
  const version = versionOf(source, folder, text);
  // A Rails application without them, such as an API, has no task for them.
  const hasAssets = source.folders(within(folder, 'app')).includes('assets');
  const ownBuild = hasAssets ? framework?.build : undefined;
  const release = framework?.release;
  const told = {
    framework: framework?.name ?? '',
    packageManager: 'bundler',
    installCommand: 'bundle install',
    buildCommand: [...(assets === undefined ? [] : [assets.build]), ownBuild].filter(Boolean).join(' && '),
    startCommand: start,
    signals: [
      {
        path,
        detail: framework === undefined ? 'Packages are installed by Bundler' : `It is made with ${framework.name}`,
      },
      ...(version.text === '' ? [] : [{ path: version.path, detail: `It demands Ruby ${shown(version.text)}` }]),
      ...(assets === undefined ? [] : [{ path: assets.path, detail: 'Its files are built by Node' }]),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
    ],
  };
  const build = {
    provider: 'ruby' as const,
    directory: folder,
    toolchain: [
      { name: 'ruby', version: version.exact, ...(version.text === '' ? {} : { demand: version }) },
      { name: 'bundler', version: '' },
      ...(assets?.toolchain ?? []),
    ],
    steps: [
      { name: 'install', command: install, caches: ['bundler'] },
      ...(assets?.steps ?? []),
      ownBuild === undefined
        ? undefined
        : // Only signs what it writes: the key of what runs comes with the release.
          { name: 'build', command: `SECRET_KEY_BASE_DUMMY=1 ${ownBuild}`, caches: [] },
    ],
    drop: ['node_modules', 'tmp/cache'],
    environment: { RACK_ENV: 'production', ...framework?.environment },
    told,
    release: release === undefined ? undefined : { line: release, path },
  };
  const port = portOfCommand(start, 'procfile') ??
    portOfTemplate(source, [folder]) ?? {
      port: framework?.port ?? 3000,
      portSource: framework === undefined ? 'default' : 'framework',
    };
  return server(build, start, port, web === undefined ? 'server' : 'started');
}

const usual = '3.4';

/** The range of the Gemfile, and the version to take: Bundler refuses another one than the Gemfile names. */
function versionOf(source: Source, folder: string, gemfile: string): { text: string; path: string; exact: string } {
  const file = within(folder, '.ruby-version');
  const own = /(?:ruby-)?(\d+(?:\.\d+){1,2})/.exec(source.text(file).slice(0, 100))?.[1] ?? '';
  const pinned = own === '' ? saidVersionOf(source, folder, 'ruby') : { version: own, path: file };
  const line = /^ruby[ \t(]+(.{1,200})$/m.exec(gemfile)?.[1] ?? '';
  const ranges = [...line.matchAll(/["']([^"'\n]{1,60})["']/g)].map((match) => match[1] ?? '');
  const isFile = /file:/.test(line);
  const range = isFile ? pinned.version : ranges.filter((one) => /\d/.test(one)).join(', ');
  if (range === '') return { text: '', path: pinned.path, exact: pinned.version };
  const path = isFile ? pinned.path : within(folder, 'Gemfile');
  if (/^\d+\.\d+\.\d+$/.test(range)) return { text: range, path, exact: range };
  const isAllowed = pinned.version !== '' && allows(range, pinned.version) !== false;
  return { text: range, path, exact: isAllowed ? pinned.version : takenOf(range, usual) };
}
