import { shown, word } from '../build-plan.ts';
import { type Assets, assetsBelow } from '../node/assets.ts';
import { type Outcome, server } from '../outcome.ts';
import { portOfCommand, portOfSource } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { type Source, upwards, within } from '../source.ts';
import type { Demand } from '../versions.ts';
import { pinnedWithin } from '../versions.ts';

/** A framework is one entry. */
export const goFrameworks: readonly { name: string; module: RegExp }[] = [
  { name: 'gin', module: /\bgithub\.com\/gin-gonic\/gin\s/ },
  { name: 'echo', module: /\bgithub\.com\/labstack\/echo(?:\/v\d+)?\s/ },
  { name: 'fiber', module: /\bgithub\.com\/gofiber\/fiber(?:\/v\d+)?\s/ },
  { name: 'chi', module: /\bgithub\.com\/go-chi\/chi(?:\/v\d+)?\s/ },
];

const ports = [/"[\w.]{0,60}:(\d{2,5})"/, /"port",\s*(\d{2,5})\b/i];

/** How a folder of a Go module is built; undefined if there is no module. */
export function fromGo(source: Source, folder: string): Outcome | undefined {
  const directory = upwards(folder).find((one) => source.has(within(one, 'go.mod')));
  if (directory === undefined) return undefined;
  const path = within(directory, 'go.mod');
  const module = source.text(path);
  const below = folder === directory ? '' : folder.slice(directory === '' ? 0 : directory.length + 1);
  const programs = programsOf(source, folder);
  const name =
    /^module[ \t]+(\S{1,300})/m
      .exec(module)?.[1]
      ?.replace(/\/v\d+$/, '')
      .split('/')
      .pop() ?? '';
  const isTool =
    programs[0] === '' && folder === directory && !serves(source, folder, module) && modulesBelow(source, folder) > 1;
  const web = webOf(source, folder, 'go');
  const chosen = isTool ? undefined : chosenOf(programs, name, programOf(web));
  if (isTool) return { ...noProgram(path, folder, []), monorepo: true };
  if (chosen === undefined) return folder === directory ? noProgram(path, folder, programs) : undefined;

  const target = within(below, chosen);
  const version = /^toolchain[ \t]+go(\d+(?:\.\d+){1,2})/m.exec(module) ?? /^go[ \t]+(\d+(?:\.\d+){1,2})/m.exec(module);
  const least = version?.[1];
  const pinned = pinnedWithin(source, folder, 'go', least === undefined ? '' : `>=${least}`);
  const command = `go build -trimpath -o bin/app ${target === '' ? '.' : word(`./${target}`)}`;
  const pages = embeddedPages(source, directory);
  const framework = goFrameworks.find((one) => one.module.test(module))?.name ?? '';
  const start = web === undefined ? 'bin/app' : asBuilt(source, folder, web);
  const built = ['app', name, nameOf(chosen), ...(start === web ? [] : [programOf(web)])];
  const files = mainFiles(source, within(folder, chosen));
  const port = portOfCommand(start, 'procfile') ??
    portOfSource(source, files, ports) ?? { port: 8080, portSource: 'default' };
  const told = {
    framework,
    packageManager: 'go',
    buildCommand: [...pages.map(({ build }) => build), command].join(' && '),
    signals: [
      { path, detail: `The module ${shown(name)}${framework === '' ? '' : `, made with ${framework}`}` },
      ...(pinned.version === '' ? [] : [{ path: pinned.path, detail: `It demands Go ${pinned.version}` }]),
      ...(files[0] === undefined ? [] : [{ path: files[0], detail: 'The program that is built' }]),
      ...pages.map(({ path }) => ({ path, detail: 'Its files are built by Node, for Go to embed' })),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
    ],
  };
  const build = {
    provider: 'go' as const,
    directory,
    toolchain: [
      { name: 'go', version: pinned.version || (least ?? ''), ...demandOf(least, path) },
      ...pages.flatMap(({ toolchain }) => toolchain),
    ],
    steps: [...pages.flatMap(({ steps }) => steps), { name: 'build', command, caches: ['go-mod', 'go-build'] }],
    drop: pages.map(({ path }) =>
      path.slice(directory === '' ? 0 : directory.length + 1).replace(/package\.json$/, 'node_modules'),
    ),
    environment: {},
    told,
    asRun: (line: string) => asRun(source, folder, line, { built, programs }),
  };
  return server(build, start, port, web === undefined ? 'server' : 'started');
}

/** A module that needs no other one and has nothing of HTTP is a tool of the folders beside it. */
function serves(source: Source, folder: string, module: string): boolean {
  return (
    /^\s*require\b/m.test(module) || mainFiles(source, folder).some((path) => source.text(path).includes('"net/http"'))
  );
}

function modulesBelow(source: Source, folder: string): number {
  const above = folder === '' ? '' : `${folder}/`;
  return source.named('go.mod').filter((path) => path.startsWith(above) && path !== within(folder, 'go.mod')).length;
}

/** Folders, below this one, whose files are a program: itself, those of `cmd`, and those beside. */
function programsOf(source: Source, folder: string): string[] {
  const isProgram = (below: string): boolean => mainFiles(source, within(folder, below).replace(/\/$/, '')).length > 0;
  if (isProgram('')) return [''];
  const commands = source.folders(within(folder, 'cmd')).map((name) => `cmd/${name}`);
  const found = ['cmd', ...commands.slice(0, 200)].filter(isProgram);
  if (found.length > 0) return found;
  const beside = source
    .folders(folder)
    .filter((name) => !/^(?:examples?|internal|pkg|test|testdata|tools|scripts)$/.test(name));
  return beside.slice(0, 200).filter(isProgram);
}

function mainFiles(source: Source, folder: string): string[] {
  return source
    .files(folder)
    .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))
    .slice(0, 200)
    .map((name) => within(folder, name))
    .filter((path) => /^package main\b/m.test(source.text(path)))
    .toSorted((one, other) => Number(other.endsWith('main.go')) - Number(one.endsWith('main.go')));
}

const first = /^((?:[A-Za-z_]\w*=\S*[ \t]+)*(?:exec[ \t]+)?)(?:\.\/)?((?:bin\/)?[\w.-]+)(?=\s|$)/;

/** The name of the program that a line of a Procfile starts: those of Go are installed in `bin`. */
function programOf(line: string | undefined): string {
  return (first.exec(line ?? '')?.[2] ?? '').replace(/^bin\//, '');
}

/** A line with the program that was built, unless it begins with a file of the source, or with a shell. */
function asBuilt(source: Source, folder: string, line: string): string {
  return line.replace(first, (whole, set: string, program: string) =>
    source.has(within(folder, program)) || /^(?:ba|da)?sh$/.test(program) ? whole : `${set}bin/app`,
  );
}

/** The same for other lines, unless one starts a program that was not built. */
function asRun(
  source: Source,
  folder: string,
  line: string,
  { built, programs }: { built: readonly string[]; programs: readonly string[] },
): string | undefined {
  const program = first.exec(line)?.[2] ?? '';
  const name = programOf(line);
  if (program === '' || source.has(within(folder, program))) return line;
  if (built.includes(name)) return asBuilt(source, folder, line);
  return program.startsWith('bin/') || programs.some((one) => nameOf(one) === name) ? undefined : line;
}

const nameOf = (program: string): string => program.replace(/^.*\//, '');

/** Of several programs the one that the Procfile names, or that serves, by its name. */
function chosenOf(programs: readonly string[], module: string, named: string): string | undefined {
  if (programs.length <= 1) return programs[0];
  const names = [named, `${module}d`, `${module}-server`, 'server', 'api', 'web', 'app', 'http', module];
  return names.flatMap((name) => programs.filter((one) => nameOf(one) === name))[0];
}

/** Front ends beside the module whose files it embeds, and which nobody has built already. */
function embeddedPages(source: Source, directory: string): Assets[] {
  return source
    .folders(directory)
    .filter((name) => /^[\w.-]{1,100}$/.test(name) && source.has(within(directory, `${name}/package.json`)))
    .filter((name) => {
      const inside = embeddedBy(source, within(directory, name));
      const above = embeddedBy(source, directory).flatMap((path) =>
        path.startsWith(`${name}/`) ? [path.slice(name.length + 1)] : [],
      );
      const there = new Set(source.folders(within(directory, name)));
      return [...inside, ...above].some((path) => !there.has(path.split('/')[0] ?? ''));
    })
    .flatMap((name) => assetsBelow(source, directory, name) ?? []);
}

/** Paths that files of a folder say to the compiler. */
function embeddedBy(source: Source, folder: string): string[] {
  const files = source.files(folder).filter((name) => name.endsWith('.go'));
  return files
    .slice(0, 50)
    .flatMap((name) => [
      ...source.text(within(folder, name)).matchAll(/^\/\/go:embed[ \t]+(?:all:)?([\w./-]{1,200})/gm),
    ])
    .map((match) => match[1] ?? '');
}

function demandOf(version: string | undefined, path: string): { demand?: Demand } {
  return version === undefined ? {} : { demand: { text: `>=${version}`, path } };
}

function noProgram(path: string, folder: string, programs: readonly string[]): Extract<Outcome, { kind: 'refused' }> {
  if (programs.length === 0) {
    const message = `${shown(path)} is a library: neither its folder nor cmd/ has a package main, which a program needs.`;
    return { kind: 'refused', provider: 'go', message, signals: [] };
  }
  return {
    kind: 'refused',
    provider: 'go',
    message: `${shown(path)} has ${programs.length} programs: choose the folder of one as the context.`,
    signals: [{ path, detail: `${programs.length} programs` }],
    monorepo: true,
    choices: programs.map((one) => within(folder, one)),
  };
}
