import { manifestOf } from './node/manifest.ts';
import { managerOf } from './node/package-managers.ts';
import { type Outcome, site } from './outcome.ts';
import { type Source, within } from './source.ts';
import { saidVersionOf } from './versions.ts';

const named = ['hugo.toml', 'hugo.yaml', 'hugo.json'];
const older = ['config.toml', 'config.yaml'];

/** How the pages of a folder with the settings of Hugo are built; undefined if it has none. */
export function fromHugo(source: Source, folder: string): Outcome | undefined {
  const has = (name: string): boolean => source.has(within(folder, name));
  const inside = source.folders(folder);
  const isSite = ['archetypes', 'layouts', 'content'].filter((name) => inside.includes(name)).length > 1;
  const file = named.find(has) ?? (isSite ? older.find(has) : undefined);
  if (file === undefined) return undefined;
  const path = within(folder, file);
  const netlify = source.text(within(folder, 'netlify.toml'));
  const said = /^[ \t]*command[ \t]*=[ \t]*["'](?:[^"'\n]{1,200}&&[ \t]*)?(hugo(?:[ \t]+--?[\w=-]+)*)["']/m.exec(
    netlify,
  )?.[1];
  const command = said ?? 'hugo --gc --minify';
  const manifest = manifestOf(source, folder);
  const managed = manifest === undefined ? undefined : managerOf(source, folder, [manifest]);
  const version =
    /\bHUGO_VERSION[ \t]*=[ \t]*["'](\d+\.\d+\.\d+)/.exec(netlify)?.[1] ??
    saidVersionOf(source, folder, 'hugo').version;
  const output = /^publishDir[ \t]*[=:][ \t]*["']?([\w-]{1,100})/im.exec(source.text(path))?.[1] ?? 'public';
  const told = {
    framework: 'hugo',
    packageManager: managed?.manager.name ?? '',
    installCommand: managed?.installCommand ?? '',
    buildCommand: command,
    signals: [{ path, detail: 'It is made with hugo' }],
  };
  return site(
    {
      provider: 'static',
      directory: folder,
      toolchain: [{ name: 'hugo', version }, ...(managed === undefined ? [] : [{ name: 'node', version: '' }])],
      steps: [
        managed === undefined
          ? undefined
          : { name: 'install', command: managed.installCommand, caches: [managed.manager.name] },
        { name: 'build', command, caches: [] },
      ],
      drop: [],
      environment: { HUGO_ENVIRONMENT: 'production' },
      told,
    },
    output,
  );
}

/** Folders in which pages are kept that nothing has to build. */
const folders = ['', 'public', 'dist', 'site', 'www', 'html', 'htdocs'];

export function fromPages(source: Source, folder: string): Outcome | undefined {
  const below = folders.find((one) => source.has(within(folder, within(one, 'index.html'))));
  if (below === undefined) return undefined;
  const path = within(folder, within(below, 'index.html'));
  const told = { signals: [{ path, detail: 'Pages that are served as they are' }] };
  const build = {
    provider: 'static' as const,
    directory: folder,
    toolchain: [],
    steps: [],
    drop: [],
    environment: {},
    told,
  };
  return site(build, below === '' ? '.' : below);
}
