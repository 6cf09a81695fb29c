import { shown, word } from '../build-plan.ts';
import { assetsBelow } from '../node/assets.ts';
import { type Outcome, refused, server } from '../outcome.ts';
import { portOfCommand, portOfTemplate } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { type Source, within } from '../source.ts';
import { pinnedWithin } from '../versions.ts';

/** A framework is one entry. */
export const elixirFrameworks: readonly { name: string; dependency: RegExp; port: number }[] = [
  { name: 'phoenix', dependency: /\{\s{0,20}:phoenix\s{0,20},/, port: 4000 },
  { name: 'plug', dependency: /\{\s{0,20}:(?:plug_cowboy|bandit)\s{0,20},/, port: 4000 },
];

/** How a folder with a mix.exs is built; undefined if it has none. */
export function fromElixir(source: Source, folder: string): Outcome | undefined {
  const path = within(folder, 'mix.exs');
  if (!source.has(path)) return undefined;
  const text = source.text(path);
  const name = /\bapp:\s{0,20}:(\w{1,100})/.exec(text)?.[1];
  const framework = elixirFrameworks.find(({ dependency }) => dependency.test(text));
  const web = webOf(source, folder, 'elixir');
  if (web === undefined && (framework === undefined || name === undefined)) {
    const isUmbrella = /\bapps_path:/.test(text);
    const what = isUmbrella
      ? 'is an umbrella, of which no application is known as the one that serves'
      : `has no framework that is known here (${elixirFrameworks.map((one) => one.name).join(', ')})`;
    return refused('elixir', `${shown(path)} ${what}: add a Procfile with a line such as "web: mix phx.server".`);
  }
  // Without this file a release would have the settings of the machine that built it.
  const releases = source.has(within(folder, 'config/runtime.exs')) && name !== undefined && web === undefined;
  const has = (alias: string): boolean => text.includes(`"${alias}":`) || text.includes(`"${alias}" =>`);
  const assets = has('assets.deploy') ? undefined : assetsBelow(source, folder, 'assets');
  const digest = framework?.name === 'phoenix' && source.folders(folder).includes('assets') ? ['mix phx.digest'] : [];
  const commands = [
    ...(assets === undefined ? [] : [assets.build]),
    'mix compile',
    ...(has('assets.deploy') ? ['mix assets.deploy'] : digest),
    ...(releases ? ['mix release'] : []),
  ];
  // Without packages of others none of these is needed, nor a way to their registry.
  const hasPackages = /\{\s{0,20}:\w{1,100}\s{0,20},/.test(text);
  const install = [
    ...(hasPackages
      ? ['mix local.hex --force --if-missing', 'mix local.rebar --force --if-missing', 'mix deps.get --only prod']
      : []),
    ...(has('assets.setup') ? ['mix assets.setup'] : []),
  ];
  const running = framework?.name === 'phoenix' ? 'mix phx.server' : 'mix run --no-halt';
  const line = releases ? `_build/prod/rel/${word(name)}/bin/${word(name)} start` : running;
  const start = web ?? line;
  const release = migrationOf(source, folder, releases ? name : undefined);
  const range = /\belixir:\s{0,20}"([^"\n]{1,60})"/.exec(text)?.[1] ?? '';
  const pinned = pinnedWithin(source, folder, 'elixir', range);
  const told = {
    framework: framework?.name ?? '',
    packageManager: 'mix',
    installCommand: 'mix deps.get --only prod',
    buildCommand: commands.join(' && '),
    startCommand: start,
    signals: [
      { path, detail: framework === undefined ? 'A project of Elixir' : `It is made with ${framework.name}` },
      ...(range === '' ? [] : [{ path, detail: `It demands Elixir ${shown(range)}` }]),
      ...(pinned.version === '' ? [] : [{ path: pinned.path, detail: `It demands Elixir ${pinned.version}` }]),
      ...(assets === undefined ? [] : [{ path: assets.path, detail: 'Its files are built by Node' }]),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
    ],
  };
  const build = {
    provider: 'elixir' as const,
    directory: folder,
    toolchain: [
      { name: 'elixir', version: pinned.version, ...(range === '' ? {} : { demand: { text: range, path } }) },
      ...(assets?.toolchain ?? []),
    ],
    steps: [
      install.length === 0 ? undefined : { name: 'install', command: install.join(' && '), caches: ['hex'] },
      ...(assets === undefined ? [] : assets.steps.slice(0, 1)),
      { name: 'build', command: commands.join(' && '), caches: [] },
    ],
    drop: ['assets/node_modules'],
    // Mix keeps what it fetches beside the program, where the image has it.
    environment: { MIX_ENV: 'prod', MIX_HOME: '.mix', PHX_SERVER: 'true', LANG: 'C.UTF-8' },
    told,
    release: release === undefined ? undefined : { line: release, path },
  };
  const port = portOfCommand(start, 'procfile') ??
    portOfTemplate(source, [folder]) ?? { port: framework?.port ?? 4000, portSource: 'framework' };
  return server(build, start, port, web === undefined ? 'server' : 'started');
}

function migrationOf(source: Source, folder: string, name: string | undefined): string | undefined {
  if (source.has(within(folder, 'rel/overlays/bin/migrate')) && name !== undefined)
    return `_build/prod/rel/${name}/bin/migrate`;
  return source.folders(within(folder, 'priv')).includes('repo') && name === undefined ? 'mix ecto.migrate' : undefined;
}
