import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../../program/refusal.ts';

const packageFile = z.object({ scripts: z.record(z.string(), z.string()).default({}) });
const node = '/usr/local/bin/node';
const isSpecial = /["'`$&|;<>(){}*?\\~#=[\]!\n]/;
const deepest = 5;

/**
 * The entry point for a start command. Images have Node and no package manager, so scripts of package.json are started as what they
 * say, and programs of packages by Node: those also run where there is no system around them.
 */
export function entrypointOf(start: string, directory: string): string[] {
  const line = scriptOf(start.trim(), directory, deepest);
  if (line === '')
    throw new Refusal('Nothing says how the application is started: add a script "start" to package.json.');
  if (!isSpecial.test(line)) {
    const [program = '', ...words] = line.split(/\s+/);
    if (program === 'node') return [node, ...words];
    const script = nodeProgram(program, directory);
    if (script !== undefined) return [node, script, ...words];
    if (program.includes('/') && isOfImage(program, directory)) return [program, ...words];
  }
  return ['/bin/sh', '-c', shellLine(line)];
}

/** `npm run start` becomes what the script says, and so on. */
function scriptOf(line: string, directory: string, left: number): string {
  const [, manager, , name = '', rest = ''] =
    /^(npm|pnpm|yarn|bun)(\s+run|\s+run-script)?\s+([\w:.-]+)((?:\s+.*)?)$/.exec(line) ?? [];
  if (manager === undefined || left === 0) return line;
  const path = join(directory, 'package.json');
  if (!existsSync(path)) return line;
  const { scripts } = packageFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  const script = scripts[name];
  if (script === undefined) return line;
  const words = rest.trim().replace(/^--(?:\s+|$)/, '');
  const before = scripts[`pre${name}`];
  const whole = words === '' ? script : `${script} ${words}`;
  const now = scriptOf(whole.trim(), directory, left - 1);
  return before === undefined ? now : `${scriptOf(before.trim(), directory, left - 1)} && ${now}`;
}

/** The file behind `next` or `node_modules/.bin/next`, if it is one that Node runs. */
function nodeProgram(program: string, directory: string): string | undefined {
  const name = program.replace(/^(?:\.\/)?node_modules\/\.bin\//, '');
  if (name.includes('/')) return undefined;
  const at = join(directory, 'node_modules', '.bin', name);
  if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  const [root, file] = [realpathSync(directory), realOf(at)];
  if (file === undefined || !file.startsWith(`${root}/`)) return undefined;
  const [first] = readFileSync(file, 'latin1').slice(0, 200).split('\n');
  return /^#!\s*(?:\/usr\/bin\/env\s+(?:-S\s+)?|\S*\/)node\s*$/.test(first ?? '')
    ? file.slice(root.length + 1)
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
function isOfImage(program: string, directory: string): boolean {
  const file = program.startsWith('/') ? undefined : realOf(join(directory, program));
  return file?.startsWith(`${realpathSync(directory)}/`) === true && !readFileSync(file, 'latin1').startsWith('#!');
}

/** The shell is the machine's; Node and the programs of packages are found beside the application, wherever its image lies. */
function shellLine(line: string): string {
  const path = `PATH="\${PWD%/app}/usr/local/bin:$PWD/node_modules/.bin:$PATH" && export PATH`;
  const simple = !/[;&|\n(){}"'`]/.test(line);
  const [, set = '', command = ''] = /^((?:[A-Za-z_]\w*=\S*\s+)*)(.*)$/s.exec(line) ?? [];
  return `${path} && ${simple ? `${set}exec ${command}` : line}`;
}
