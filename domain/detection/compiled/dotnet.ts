import { shown, word } from '../build-plan.ts';
import { type Outcome, refused, server } from '../outcome.ts';
import { portOfCommand } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { objectOf, type Source, within } from '../source.ts';
import { saidVersionOf } from '../versions.ts';

/** A framework is one entry: the kit of a project that serves. */
export const dotnetFrameworks: readonly { name: string; sdk: RegExp }[] = [
  { name: 'aspnet', sdk: /<Project\s[^>]{0,200}\bSdk\s*=\s*["']Microsoft\.NET\.Sdk\.Web["'/]/ },
];

const aside =
  /(?:^|\/|\.)(?:[Tt]ests?|[Uu]nit[Tt]ests?|[Ii]ntegration[Tt]ests?|[Ff]unctional[Tt]ests?|[Bb]enchmarks?)(?:\/|$)/;
const project = /\.(?:csproj|fsproj)$/;

/** How a folder with a project of .NET, or with a solution of some, is built; undefined if it has neither. */
export function fromDotnet(source: Source, folder: string): Outcome | undefined {
  const files = source.files(folder);
  const own = files.filter((name) => project.test(name)).map((name) => within(folder, name));
  const solution = files.find((name) => /\.slnx?$/.test(name));
  if (own.length === 0 && solution === undefined) return undefined;
  const all = own.length > 0 ? own : projectsBelow(source, folder);
  const served = all.filter((path) => dotnetFrameworks.some(({ sdk }) => sdk.test(source.text(path))));
  const path = own[0] ?? within(folder, solution ?? '');
  const [only] = served;
  if (only === undefined) {
    return refused(
      'dotnet',
      `${shown(path)} has no project that serves: one whose Sdk is Microsoft.NET.Sdk.Web is needed.`,
    );
  }
  if (served.length > 1) {
    return {
      kind: 'refused',
      provider: 'dotnet',
      message: `${shown(path)} has ${served.length} projects that serve: choose the folder of one as the context.`,
      signals: [{ path, detail: `${served.length} projects that serve` }],
      monorepo: true,
      choices: served.map((one) => one.slice(0, Math.max(0, one.lastIndexOf('/')))),
    };
  }
  return built(source, folder, only);
}

function built(source: Source, context: string, path: string): Outcome {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const text = source.text(path);
  const name = path.replace(/^.*\//, '').replace(project, '');
  const program = /<AssemblyName>\s*([\w.-]{1,200})\s*</.exec(text)?.[1] ?? name;
  // Projects that it refers to, and settings of all, lie above it.
  const directory = rootOf(source, folder);
  const below = (at: string): string => (directory === '' ? at : at.slice(directory.length + 1));
  const output = within(below(folder), 'bin/publish');
  const publish = `dotnet publish ${word(below(path))} -c Release -o ${word(output)}`;
  const tools = source.has(within(directory, '.config/dotnet-tools.json')) ? 'dotnet tool restore && ' : '';
  const web = webOf(source, context, 'dotnet') ?? webOf(source, directory, 'dotnet');
  const start = `ASPNETCORE_URLS=http://0.0.0.0:$PORT dotnet ${word(`${program}.dll`)}`;
  const version = versionOf(source, directory, path);
  const told = {
    framework: dotnetFrameworks[0]?.name ?? '',
    packageManager: 'nuget',
    buildCommand: publish,
    startCommand: web ?? `cd ${word(output)} && ${start}`,
    monorepo: context !== directory,
    signals: [
      { path, detail: 'It is made with aspnet' },
      ...(version.path === '' ? [] : [{ path: version.path, detail: `It demands .NET ${shown(version.version)}` }]),
      ...(web === undefined ? [] : [{ path: 'Procfile', detail: `web: ${shown(web)}` }]),
    ],
  };
  const build = {
    provider: 'dotnet' as const,
    directory,
    toolchain: [
      {
        name: 'dotnet',
        version: version.version,
        ...(version.version === '' || version.isPinned
          ? {}
          : { demand: { text: `>=${version.version}`, path: version.path } }),
      },
    ],
    steps: [{ name: 'build', command: `${tools}${publish}`, caches: ['nuget'] }],
    drop: [],
    environment: { DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1', ASPNETCORE_ENVIRONMENT: 'Production' },
    // Settings and pages are looked for where it is started.
    startIn: web === undefined ? output : '',
    told,
  };
  const port = portOfCommand(web ?? '', 'procfile') ?? { port: 8080, portSource: 'framework' };
  return server(build, web ?? start, port, web === undefined ? 'server' : 'started');
}

function projectsBelow(source: Source, folder: string): string[] {
  return source
    .named('*.csproj')
    .filter((path) => (folder === '' || path.startsWith(`${folder}/`)) && !aside.test(path))
    .slice(0, 200);
}

/** The nearest folder above with a solution. */
function rootOf(source: Source, folder: string): string {
  for (let at = folder; ; ) {
    if (source.files(at).some((name) => /\.slnx?$/.test(name))) return at;
    if (at === '') return folder;
    at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '';
  }
}

/** Of `net10.0`, or of the kit that global.json names, major and minor: what a project is made for runs nowhere else, whatever else is pinned. */
function versionOf(
  source: Source,
  folder: string,
  project: string,
): { version: string; path: string; isPinned?: boolean } {
  const json = within(folder, 'global.json');
  const said = objectOf(source.object(json)?.sdk)?.version;
  const kit = typeof said === 'string' ? /^(\d+\.\d+)/.exec(said)?.[1] : undefined;
  const target = /<TargetFrameworks?>[^<]{0,100}?net(\d+\.\d+)/.exec(source.text(project))?.[1];
  if (kit !== undefined) return { version: kit, path: json };
  if (target !== undefined) return { version: target, path: project };
  const { version, path } = saidVersionOf(source, folder, 'dotnet');
  return { version: /^\d+\.\d+/.exec(version)?.[0] ?? '', path, isPinned: true };
}
