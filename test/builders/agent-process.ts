import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('./build-agent.ts', import.meta.url));

/** Folders of an agent of its own, given to a user. */
export function placesIn(
  directory: string,
  name: string,
  user?: number,
): [home: string, source: string, cache: string] {
  const [home, source, cache] = ['home', 'source', 'cache'].map((one) => join(directory, name, one));
  for (const path of [join(directory, name), home ?? '', source ?? '', cache ?? '']) {
    mkdirSync(path, { mode: 0o700 });
    if (user !== undefined) chownSync(path, user, user);
  }
  return [home ?? '', source ?? '', cache ?? ''];
}

export function agent(
  args: readonly string[],
  options: SpawnOptions = {},
  before: readonly string[] = [],
): ChildProcess {
  const [name = '', ...rest] = [...before, process.execPath, program, ...args];
  return spawn(name, rest, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
}
