import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity } from '../../../machine/process-identity.ts';
import type { Exit } from '../driver.ts';

/** A run, as its files and the process table show it. See `keeper.sh`. */
export interface Run {
  number: number;
  running: boolean;
  child?: ProcessIdentity;
  keeper?: ProcessIdentity;
  startedAt?: Date;
  exit?: Exit;
}

/** So long may a keeper that made its directory take to say who it is. */
const claimMilliseconds = 5_000;

export function runNumbers(instance: string): number[] {
  const names = contentOf(() => readdirSync(join(instance, 'runs'))) ?? [];
  return names
    .map(Number)
    .filter((number) => Number.isSafeInteger(number) && number > 0)
    .sort((a, b) => a - b);
}

/** The last run of an instance; undefined before the first. */
export function lastRun(instance: string): Run | undefined {
  const number = runNumbers(instance).at(-1);
  return number === undefined ? undefined : lookAt(instance, number);
}

export function lookAt(instance: string, number: number): Run {
  const at = join(instance, 'runs', String(number));
  // In this order: a keeper that is dead has written all that it ever will.
  const keeper = identityIn(join(at, 'keeper'));
  const kept = keeper !== undefined && isAlive(keeper);
  const child = identityIn(join(at, 'child'));
  const lives = child !== undefined && isAlive(child);
  const exit = exitIn(join(at, 'exit'), number);
  const startedAt = contentOf(() => statSync(join(at, child === undefined ? 'keeper' : 'child')).mtime);
  const run: Run = {
    number,
    running: exit === undefined,
    ...(child && { child }),
    ...(keeper && { keeper }),
    ...(startedAt && { startedAt }),
  };
  if (exit !== undefined) return { ...run, exit };
  if (kept || lives || isBeginning(at, keeper) || (child === undefined && !childIsForbidden(at))) return run;
  // Nobody is there, and nobody saw how it ended.
  writeOnce(at, 'exit', 'unseen');
  const unseen = exitIn(join(at, 'exit'), number);
  return { ...run, running: unseen === undefined, ...(unseen && { exit: unseen }) };
}

function isBeginning(at: string, keeper: ProcessIdentity | undefined): boolean {
  if (keeper !== undefined) return false;
  const made = contentOf(() => statSync(at).mtimeMs);
  return made !== undefined && Date.now() - made < claimMilliseconds;
}

/**
 * The keeper died before it had a child; once this file says `none`, there cannot be one. False if a child came first.
 */
function childIsForbidden(at: string): boolean {
  return writeOnce(at, 'child', 'none') || contentOf(() => readFileSync(join(at, 'child'), 'utf8')) === 'none\n';
}

/** Makes a file that nobody has made yet, whole at once. */
function writeOnce(directory: string, name: string, content: string): boolean {
  const draft = join(directory, `.${name}.${process.pid}`);
  try {
    writeFileSync(draft, `${content}\n`, { mode: 0o600 });
    linkSync(draft, join(directory, name));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function identityIn(path: string): ProcessIdentity | undefined {
  const [pid, started] = (contentOf(() => readFileSync(path, 'utf8')) ?? '').trim().split(' ');
  return started === undefined ? undefined : { pid: Number(pid), started };
}

const signals = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

function exitIn(path: string, run: number): Exit | undefined {
  const content = contentOf(() => readFileSync(path, 'utf8'));
  const at = contentOf(() => statSync(path).mtime);
  if (content === undefined || at === undefined) return undefined;
  const [code, memory] = content.trim().split(' ').map(Number);
  // Also after the machine went down before the file was on its disk.
  if (code === undefined || memory === undefined || !Number.isInteger(code)) return { run, at };
  const signal = code > 128 ? signals.get(code - 128) : undefined;
  return { run, code, at, ...(signal && { signal }), ...(signal === 'SIGKILL' && memory > 0 && { outOfMemory: true }) };
}

function contentOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
