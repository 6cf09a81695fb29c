import { word } from '../build-plan.ts';
import { objectOf, within } from '../source.ts';
import type { Manifest } from './manifest.ts';
import type { PackageManager } from './package-managers.ts';
import { type Project, plainFolder } from './project.ts';
import { neededBy, type Workspace } from './workspace.ts';

/** How commands of a package run from where its packages are installed: the folder itself, or the root of its workspace. */
export interface Runner {
  directory: string;
  manager: PackageManager;
  run(script: string): string;
  /** Without a script of the package itself: of the packages that it needs. */
  build(script: string | undefined): string;
  line(line: string): string;
  /** The folder of the package, as it is seen from there; '' where they are the same. */
  below: string;
  /** The start as it is run in the folder of the package. */
  here(start: { script?: string; line?: string }): string;
  /** A folder of the package, as it is seen from there. */
  folder(path: string): string;
}

export function runnerOf(manifest: Manifest, workspace: Workspace | undefined, manager: PackageManager): Runner {
  const root = workspace?.folder ?? manifest.folder;
  const own = (script: string): string => `${manager.name} run ${word(script)}`;
  if (workspace === undefined || root === manifest.folder) {
    return {
      ...{ directory: root, manager, below: '', run: own, line: (line) => line, folder: (path) => path },
      build: (script) => (script === undefined ? '' : own(script)),
      here: ({ script, line = '' }) => (script === undefined ? line : own(script)),
    };
  }
  const below = root === '' ? manifest.folder : manifest.folder.slice(root.length + 1);
  const here = (line: string): string => `cd ${word(below)} && ${line}`;
  // Programs of packages are at the root of a workspace.
  const found = (line: string): string => line.replace(/^node_modules\/\.bin\//, `${manager.exec} `);
  return {
    ...{ directory: root, manager, below },
    run: (script) => (manager.name === 'bun' ? here(own(script)) : inMember(manager, manifest, below, script)),
    build: (script) => buildOf(workspace, manager, manifest, below, script),
    line: (line) => here(found(line)),
    here: ({ script, line = '' }) => (script === undefined ? found(line) : own(script)),
    folder: (path) => (path === '.' ? below : within(below, path)),
  };
}

function buildOf(
  workspace: Workspace,
  manager: PackageManager,
  manifest: Manifest,
  below: string,
  script: string | undefined,
): string {
  const before = neededBy(workspace, manifest).filter((one) => one.scripts.has('build'));
  if (script === undefined && before.length === 0) return '';
  // These know themselves what has to be built before.
  if (workspace.manifest?.packages.has('turbo') && manifest.name !== '') {
    return `${manager.exec} turbo run ${word(script ?? 'build')} --filter=${word(manifest.name)}`;
  }
  if (manager.name === 'pnpm') return `pnpm --filter ${filterOf(manifest, below)} run ${word(script ?? 'build')}`;
  const root = workspace.folder;
  return [
    ...before.map((one) =>
      inMember(manager, one, root === '' ? one.folder : one.folder.slice(root.length + 1), 'build'),
    ),
    ...(script === undefined ? [] : [inMember(manager, manifest, below, script)]),
  ].join(' && ');
}

/** With all that it needs, by its name or by its folder. */
function filterOf(manifest: Manifest, below: string): string {
  return manifest.name === '' ? word(`{./${below}}...`) : `${word(manifest.name)}...`;
}

function inMember(manager: PackageManager, { name }: Manifest, below: string, script: string): string {
  if (manager.name === 'npm') return `npm run ${word(script)} --workspace ${word(below)}`;
  if (name === '') return `cd ${word(below)} && ${manager.name} run ${word(script)}`;
  if (manager.name === 'yarn') return `yarn workspace ${word(name)} run ${word(script)}`;
  if (manager.name === 'pnpm') return `pnpm --filter ${word(name)} run ${word(script)}`;
  return `bun run --filter ${word(name)} ${word(script)}`;
}

/** Where the build of an Angular application leaves its files, or what starts its server. */
export function angularSite({ source, folder }: Project): { files?: string; server?: string } | undefined {
  const projects = objectOf(source.object(within(folder, 'angular.json'))?.projects) ?? {};
  for (const [name, one] of Object.entries(projects)) {
    const project = objectOf(one);
    if (project === undefined || (project.projectType ?? 'application') !== 'application' || name.endsWith('-e2e'))
      continue;
    const targets = objectOf(project.architect) ?? objectOf(project.targets);
    const build = objectOf(targets?.build);
    const options = objectOf(build?.options) ?? {};
    const said = options.outputPath;
    const nested = objectOf(said);
    const base = plainFolder(textOf(nested?.base ?? said)) ?? `dist/${name}`;
    // The newer builder leaves a folder for browsers and, if there is a server, one for that.
    const newer = /:application$/.test(textOf(build?.builder) ?? '');
    if (newer && options.ssr !== undefined && options.ssr !== false)
      return { server: `node ${word(`${base}/server/server.mjs`)}` };
    const browser = textOf(nested?.browser) ?? 'browser';
    return { files: newer && browser !== '' ? `${base}/${browser}` : base };
  }
  return { files: 'dist' };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
