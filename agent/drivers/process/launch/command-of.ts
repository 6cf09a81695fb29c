import { accessSync, constants, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Refusal } from '../../../program/refusal.ts';
import type { InstanceSpec } from '../../driver.ts';
import { beneath } from '../beneath.ts';

/** Of instances whose image and variables name none. */
export const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The command of an instance: its process's, else its image's, by the rules of OCI. */
export function commandOf({ process, image }: InstanceSpec): string[] {
  const { entrypoint, command } = image.config;
  if (process.command.length > 0) return [...process.command, ...process.args];
  return [...entrypoint, ...(process.args.length > 0 ? process.args : command)];
}

/** The same with the program's path on this machine: beneath the image's files first, then the machine's own. */
export function withProgram(command: readonly string[], spec: InstanceSpec, tree: string): [string, ...string[]] {
  const [program, ...rest] = command;
  if (program === undefined || program === '')
    throw new Refusal(`The image has no command for the process ${spec.process.name}; give the process one.`);
  const found = candidates(program, spec, tree).find(isProgram);
  if (found === undefined)
    throw new Refusal(`${program} is neither in the image nor on the machine, so ${spec.process.name} cannot run it.`);
  // `env`, which starts it, would take it for a variable.
  if (found.includes('=')) throw new Refusal(`${program} cannot be run: the path of a program may not contain "=".`);
  return [found, ...rest];
}

function candidates(program: string, { environment, image }: InstanceSpec, tree: string): string[] {
  if (program.startsWith('/')) return [beneath(tree, program), program];
  if (program.includes('/')) return [beneath(tree, posix.join('/', image.config.workingDirectory, program))];
  const path = (environment.PATH ?? defaultPath).split(':').filter((directory) => directory.startsWith('/'));
  return [
    ...path.map((directory) => beneath(tree, posix.join(directory, program))),
    ...path.map((directory) => join(directory, program)),
  ];
}

/** A program of this machine that the driver itself needs. */
export function programOfMachine(name: string): string | undefined {
  return defaultPath
    .split(':')
    .map((directory) => join(directory, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
