import type { BuildStep } from '../build-plan.ts';
import { developmentOf } from '../node/development.ts';
import { manifestOf } from '../node/manifest.ts';
import { fromNode } from '../node/node.ts';
import { managerOf } from '../node/package-managers.ts';
import { everythingOf } from '../node/scripts.ts';
import { type Outcome, refused, server, site } from '../outcome.ts';
import { portOfCommand } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { shown } from '../shell.ts';
import { type Source, within } from '../source.ts';
import { inEnvironment } from './application.ts';
import { alsoInstall, demandedOf, managerEnvironment, pythonManagerOf, pythonVersionOf } from './dependencies.ts';
import { pythonFrameworks } from './frameworks.ts';

/** How a folder with a list of Python packages is built; undefined if it has none. */
export function fromPython(source: Source, folder: string): Outcome | undefined {
  const manager = pythonManagerOf(source, folder);
  if (manager === undefined) return undefined;
  const project = { source, folder, demanded: demandedOf(source, folder) };
  const framework = pythonFrameworks.find(({ packages }) => packages.some((name) => project.demanded.has(name)));
  const files = framework?.site?.(project);
  const found = framework?.start?.(project);
  const web = webOf(source, folder);
  const start = web ?? found?.line;
  if (start === undefined && files === undefined) return nothingToStart(manager.path, framework?.name);

  const version = pythonVersionOf(source, folder);
  const more =
    web === undefined
      ? alsoInstall(
          (found?.needs ?? []).filter((name) => !project.demanded.has(name)),
          manager,
        )
      : undefined;
  const assets = assetsOf(source, folder);
  const ownBuild = files?.build ?? framework?.build?.(project);
  const commands = [...(assets === undefined ? [] : [assets.build]), ...(ownBuild === undefined ? [] : [ownBuild])];
  const told = {
    framework: framework?.name ?? '',
    packageManager: manager.name,
    installCommand: [manager.told, ...(more === undefined ? [] : [more.told])].join(' && '),
    buildCommand: commands.join(' && '),
    ...(start === undefined ? {} : { startCommand: start }),
    signals: [
      { path: manager.path, detail: `Packages are installed by ${manager.name}` },
      ...(framework === undefined ? [] : [{ path: manager.path, detail: `It is made with ${framework.name}` }]),
      ...(version.path === '' ? [] : [{ path: version.path, detail: `It demands Python ${version.version}` }]),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
      ...(found === undefined || web !== undefined
        ? []
        : [{ path: found.path, detail: 'The application that is started' }]),
      ...(assets === undefined
        ? []
        : [{ path: within(folder, 'package.json'), detail: 'Its files are built by Node' }]),
    ],
  };
  const build = {
    provider: 'python' as const,
    directory: folder,
    toolchain: [
      { name: 'python', version: version.version },
      ...(manager.name === 'pip' ? [] : [{ name: manager.name, version: '' }]),
      ...(assets === undefined ? [] : [{ name: 'node', version: '' }]),
    ],
    steps: [
      {
        name: 'install',
        command: [manager.install, ...(more === undefined ? [] : [more.line])].join(' && '),
        caches: [manager.name],
      },
      ...(assets?.steps ?? []),
      ownBuild === undefined ? undefined : { name: 'build', command: inEnvironment(ownBuild), caches: [] },
    ],
    drop: ['node_modules'],
    environment: { PYTHONUNBUFFERED: '1', ...managerEnvironment[manager.name] },
    told,
  };
  if (start === undefined) return site(build, files?.files ?? '.');
  const port = portOfCommand(start, web === undefined ? 'framework' : 'procfile') ?? {
    port: framework?.port || 8000,
    portSource: framework === undefined ? 'default' : 'framework',
  };
  return server(build, inEnvironment(start), port);
}

/** Scripts and styles that a package.json beside it builds for its pages. */
function assetsOf(source: Source, folder: string): { build: string; steps: BuildStep[] } | undefined {
  const manifest = manifestOf(source, folder);
  const own = manifest === undefined ? undefined : fromNode(source, folder);
  if (manifest === undefined || !manifest.scripts.has('build') || own?.kind === 'started') return undefined;
  if (developmentOf(everythingOf(manifest, 'build')) !== undefined) return undefined;
  const { manager, installCommand } = managerOf(source, folder, [manifest]);
  const build = `${manager.name} run build`;
  return {
    build,
    steps: [
      { name: 'install assets', command: installCommand, caches: [manager.name] },
      { name: 'build assets', command: build, caches: [] },
    ],
  };
}

function nothingToStart(path: string, framework: string | undefined): Outcome {
  const what =
    framework === undefined
      ? 'no framework that is known here (Django, FastAPI, Flask, Starlette, Streamlit) is among its packages'
      : `no file beside it makes the application of ${framework}`;
  return refused(
    'python',
    `${shown(path)} was found, and ${what}: add a Procfile with a line such as "web: gunicorn app:app --bind 0.0.0.0:$PORT".`,
  );
}
