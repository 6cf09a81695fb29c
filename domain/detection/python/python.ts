import { shown } from '../build-plan.ts';
import { type Assets, assetsBelow, assetsOf, frontEndsOf } from '../node/assets.ts';
import { manifestOf } from '../node/manifest.ts';
import { fromNode } from '../node/node.ts';
import { type Outcome, refused, server, site } from '../outcome.ts';
import { portOfCommand } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { type Source, within } from '../source.ts';
import { inEnvironment, pythonFrameworks } from './application.ts';
import {
  alsoInstall,
  demandedOf,
  managerEnvironment,
  pythonDemandOf,
  pythonManagerOf,
  pythonVersionOf,
} from './dependencies.ts';

/** How a folder with a list of Python packages is built; undefined if it has none. */
export function fromPython(source: Source, folder: string): Outcome | undefined {
  const manager = pythonManagerOf(source, folder);
  if (manager === undefined) return undefined;
  const project = { source, folder, demanded: demandedOf(source, folder) };
  const framework = pythonFrameworks.find(({ packages }) => packages.some((name) => project.demanded.has(name)));
  const files = framework?.site?.(project);
  const found = framework?.start?.(project);
  const web = webOf(source, folder, 'python');
  const start = web ?? found?.line;
  if (start === undefined && files === undefined) return nothingToStart(manager.path, framework?.name);

  const version = pythonVersionOf(source, folder);
  const demand = pythonDemandOf(source, folder);
  const release = migrationOf(source, folder, framework?.name);
  const more =
    web === undefined
      ? alsoInstall(
          (found?.needs ?? []).filter((name) => !project.demanded.has(name)),
          manager,
        )
      : undefined;
  const assets = assetsFor(source, folder);
  const ownBuild = files?.build ?? framework?.build?.(project);
  const commands = [...assets.map(({ build }) => build), ...(ownBuild === undefined ? [] : [ownBuild])];
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
      ...(demand === undefined || version.path !== ''
        ? []
        : [{ path: demand.path, detail: `It demands Python ${shown(demand.text)}` }]),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
      ...(found === undefined || web !== undefined
        ? []
        : [{ path: found.path, detail: 'The application that is started' }]),
      ...assets.map(({ path }) => ({ path, detail: 'Its files are built by Node' })),
    ],
  };
  const build = {
    provider: 'python' as const,
    directory: folder,
    toolchain: [
      { name: 'python', version: version.version, ...(demand === undefined ? {} : { demand }) },
      ...(manager.name === 'pip' ? [] : [{ name: manager.name, version: '' }]),
      ...assets.flatMap(({ toolchain }) => toolchain),
    ],
    steps: [
      {
        name: 'install',
        command: [manager.install, ...(more === undefined ? [] : [more.line])].join(' && '),
        caches: [manager.name],
      },
      ...assets.flatMap(({ steps }) => steps),
      ownBuild === undefined ? undefined : { name: 'build', command: inEnvironment(ownBuild), caches: [] },
    ],
    drop: ['node_modules'],
    environment: { PYTHONUNBUFFERED: '1', ...managerEnvironment[manager.name] },
    told,
    release: release === undefined ? undefined : { line: release, path: manager.path },
    asRun: inEnvironment,
  };
  if (start === undefined) return site(build, files?.files ?? '.');
  const port = portOfCommand(start, web === undefined ? 'framework' : 'procfile') ?? {
    port: framework?.port || 8000,
    portSource: framework === undefined ? 'default' : 'framework',
  };
  return server(build, inEnvironment(start), port, web === undefined ? 'server' : 'started');
}

/** Those of a package.json beside it that is no server itself, and of folders whose bundlers write into its own. */
function assetsFor(source: Source, folder: string): Assets[] {
  const own = manifestOf(source, folder) === undefined ? undefined : fromNode(source, folder);
  const beside = own === undefined || own.kind === 'started' ? undefined : assetsOf(source, folder);
  const below = frontEndsOf(source, folder).map((name) => assetsBelow(source, folder, name));
  return [beside, ...below].filter((one) => one !== undefined);
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

/** What brings a database to the form that the code expects. */
function migrationOf(source: Source, folder: string, framework: string | undefined): string | undefined {
  if (framework === 'django' && source.has(within(folder, 'manage.py'))) return 'python manage.py migrate --noinput';
  return source.has(within(folder, 'alembic.ini')) ? 'alembic upgrade head' : undefined;
}
