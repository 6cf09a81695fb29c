import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { shownPath } from '../../images/tree.ts';
import { Refusal } from '../../program/refusal.ts';

const node = '/usr/local/bin/node';
/** Signs by which a line needs a shell. */
export const isSpecial = /["'`$&|;<>(){}*?\\~#=[\]!\n]/;
const deepest = 5;
const longestPackageFile = 2 ** 20;

/**
 * The entry point for a start command. Images have Node and no package manager, so scripts of package.json are started as what they
 * say, and programs of packages by Node: those also run where there is no system around them. `startIn` is the folder below the
 * directory in which it runs, that of a package in a workspace.
 */
export function entrypointOf(start: string, directory: string, startIn = ''): string[] {
  const root = realpathSync(directory);
  const here = realOf(join(root, startIn));
  if (here === undefined || (here !== root && !isBelow(here, root)))
    throw new Refusal(`${shownPath([startIn])}, where the application is started, is no folder of the image.`);
  const place = { root, here };
  const line = withoutManager(scriptOf(start.trim(), place, deepest), place);
  if (line === '')
    throw new Refusal('Nothing says how the application is started: add a script "start" to package.json.');
  if (!isSpecial.test(line)) {
    const [program = '', ...words] = line.split(/\s+/);
    if (program === 'node') return [node, ...words];
    const script = nodeProgram(program, place);
    if (script !== undefined) return [node, script, ...words];
    if (program.includes('/') && isOfImage(program, place)) return [program, ...words];
  }
  return ['/bin/sh', '-c', shellLine(line, place)];
}

/** The folder of the image's application, and the one below in which it is started. */
interface SourceFolder {
  root: string;
  here: string;
}

/** `npx next` is the program that a package has brought. */
function withoutManager(line: string, place: SourceFolder): string {
  const [, program = '', rest = ''] =
    /^(?:npx|pnpm exec|yarn (?:run|exec)|bunx)\s+([\w@.-]+)((?:\s.*)?)$/s.exec(line) ?? [];
  return program !== '' && binOf(program, place) !== undefined ? `${program}${rest}` : line;
}

/** The folders in which packages are looked for, from the innermost. */
function levels({ root, here }: SourceFolder): string[] {
  const found = [here];
  for (let at = here; at !== root && at.startsWith(`${root}/`); ) {
    at = dirname(at);
    found.push(at);
  }
  return found;
}

function binOf(name: string, place: SourceFolder): string | undefined {
  return levels(place)
    .map((folder) => join(folder, 'node_modules', '.bin', name))
    .find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** `npm run start` becomes what the script says, and so on. */
function scriptOf(line: string, place: SourceFolder, left: number): string {
  const [, manager, , name = '', rest = ''] =
    /^(npm|pnpm|yarn|bun)(\s+run|\s+run-script)?\s+([\w:.-]+)((?:\s+.*)?)$/.exec(line) ?? [];
  if (manager === undefined || left === 0) return line;
  const scripts = scriptsOf(place);
  const script = scripts[name];
  if (script === undefined) return line;
  const words = rest.trim().replace(/^--(?:\s+|$)/, '');
  const before = scripts[`pre${name}`];
  const whole = words === '' ? script : `${script} ${words}`;
  const now = scriptOf(whole.trim(), place, left - 1);
  return before === undefined ? now : `${scriptOf(before.trim(), place, left - 1)} && ${now}`;
}

function scriptsOf({ root, here }: SourceFolder): Record<string, string> {
  const path = join(here, 'package.json');
  const shown = shownPath([relative(root, path)]);
  const found = realOf(path);
  if (found === undefined) return {};
  const text = isBelow(found, root) ? startOf(found, longestPackageFile + 1) : undefined;
  if (text === undefined) throw new Refusal(`${shown} is no file of the image, so nothing says what its scripts are.`);
  if (text.length > longestPackageFile)
    throw new Refusal(`${shown} is longer than ${longestPackageFile / 2 ** 20} MB.`);
  const scripts = Object.entries(scriptsIn(text.toString(), shown));
  return Object.fromEntries(scripts.filter((one): one is [string, string] => typeof one[1] === 'string'));
}

/** The words of a parser would be a piece of the file. */
function scriptsIn(text: string, shown: string): object {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null ? scripts : {};
  } catch {
    throw new Refusal(`${shown} is no JSON, so nothing says what its scripts are.`);
  }
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(`${root}/`);
}

/** The beginning of a file; undefined if it is none, which could be waited for without end. */
function startOf(path: string, bytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const start = Buffer.alloc(Math.min(bytes, fstatSync(file).size));
    return start.subarray(0, readSync(file, start, 0, start.length, 0));
  } finally {
    closeSync(file);
  }
}

/** The file behind `next` or `node_modules/.bin/next`, if it is one that Node runs. */
function nodeProgram(program: string, place: SourceFolder): string | undefined {
  const name = program.replace(/^(?:\.\/)?node_modules\/\.bin\//, '');
  if (name.includes('/')) return undefined;
  const at = binOf(name, place);
  if (at === undefined || !lstatSync(at).isSymbolicLink()) return undefined;
  const file = realOf(at);
  if (file === undefined || !isBelow(file, place.root)) return undefined;
  const [first] = startOf(file, 200)?.toString('latin1').split('\n') ?? [];
  return /^#!\s*(?:\/usr\/bin\/env\s+(?:-S\s+)?|\S*\/)node\s*$/.test(first ?? '')
    ? relative(place.here, file)
    : undefined;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** One that the source has itself, and that is no script for a program which the image lacks. */
function isOfImage(program: string, { root, here }: SourceFolder): boolean {
  const file = program.startsWith('/') ? undefined : realOf(join(here, program));
  if (file === undefined || !isBelow(file, root)) return false;
  const first = startOf(file, 2);
  return first !== undefined && first.toString('latin1') !== '#!';
}

/** The shell is the machine's; Node and the programs of packages are found beside the application, wherever its image lies. */
function shellLine(line: string, place: SourceFolder): string {
  const above = levels(place)
    .map((folder) => relative(place.here, folder))
    .map((up) => (up === '' ? '' : `${up}/`));
  const programs = [`${above.at(-1)}../usr/local/bin`, ...above.map((up) => `${up}node_modules/.bin`)];
  const path = `PATH="${programs.map((one) => `$PWD/${one}`).join(':')}:$PATH" && export PATH`;
  const simple = !/[;&|\n(){}"'`]/.test(line);
  const [, set = '', command = ''] = /^((?:[A-Za-z_]\w*=\S*\s+)*)(.*)$/s.exec(line) ?? [];
  return `${path} && ${simple ? `${set}exec ${command}` : line}`;
}
