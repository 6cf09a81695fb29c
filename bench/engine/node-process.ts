import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheDirectory } from '../../runtime/home/cache.ts';

export interface NodeProcess extends AsyncDisposable {
  readonly pid: number;
}

interface Starting {
  /** A program of ours, from the root of the checkout. */
  file: string;
  args?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Where its output goes: to a file, as the supervisor does it, because a pipe costs whoever reads it. */
  log: string;
  ready: () => Promise<boolean>;
}

const longestStart = 60_000;
const longestStop = 10_000;

const running = new Set<ChildProcess>();

/**
 * Has a signal end what was started here, at once: what is measured fails then, and closes the rest. Otherwise a signal that
 * is for the benchmark alone would leave its servers behind.
 */
export function endOnSignals(stop: () => void): void {
  const end = () => {
    for (const child of running) child.kill();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      stop();
      end();
    });
  }
  process.once('exit', end);
}

/** Starts a program under this Node and waits until it is ready. Disposing of it ends it. */
export async function startNode({ file, args = [], env, log, ready }: Starting): Promise<NodeProcess> {
  const output = openSync(log, 'a', 0o600);
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...profiling, file, ...args], {
    cwd: new URL('../..', import.meta.url),
    env: { ...surroundings(), ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} cannot be run.`);
  const deadline = Date.now() + longestStart;
  while (!(await ready())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await end(child);
      throw new Error(`${file} did not get ready; it printed:\n${readFileSync(log, 'utf8').slice(-2000)}`);
    }
    await pause(20);
  }
  return { pid, [Symbol.asyncDispose]: () => end(child) };
}

/**
 * Environment of every process: no settings from the caller's environment, and a cache of compiled code, as the
 * entry script gives it to ours.
 */
export function surroundings(): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'XDG_CACHE_HOME', 'TEMPORAL_SERVER', 'TMPDIR'];
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(kept), NODE_COMPILE_CACHE: join(cacheDirectory(), 'compiled') };
}

let profiles: string | undefined;

/** From now on every server writes a CPU profile into the directory when it ends. */
export function profileInto(directory: string): void {
  profiles = directory;
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  const killer = setTimeout(() => child.kill('SIGKILL'), longestStop);
  await ended;
  clearTimeout(killer);
}

/** Whether a request is answered with 200. */
export async function answers(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(2000) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}
