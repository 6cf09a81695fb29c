import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { settingsTable } from '../../domain/settings/settings.ts';

const executable = fileURLToPath(new URL('../../ballast', import.meta.url));

/** The shell's environment without its settings of Ballast: a test sets what it means. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of Object.keys(settingsTable)) if (name !== 'TEMPORAL_SERVER') delete env[name];
  for (const name of ['NODE_ENV', 'NODE_OPTIONS', 'BALLAST_DEBUG']) delete env[name];
  return { ...env, ...settings };
}

export interface RunningCommand {
  pid: number;
  /** All that it has printed. */
  output(): string;
  /** Resolves with the exit code; null when a signal ended it. */
  ended: Promise<number | null>;
  /** Whether it has ended. */
  over(): boolean;
}

/** Starts `./ballast …` as a shell starts a job: in a process group of its own. `program`: of an earlier version. */
export function startBallast(words: string[], settings: Record<string, string>, program = executable): RunningCommand {
  return startProgram(program, words, { cwd: '/', env: environment(settings) });
}

/** The same for any program, with nothing in its environment but what is given. */
export function startProgram(
  program: string,
  words: string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): RunningCommand {
  const child = spawn(program, words, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} cannot be run; is it in the PATH?`);
  let output = '';
  let over = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const forget = endWithUs(pid);
  const ended = exitOf(child).finally(() => {
    over = true;
    forget();
  });
  return { pid, output: () => output, ended, over: () => over };
}

/** A run of the tests that is killed leaves nothing running: when we are gone, however we went, the group is ended. */
function endWithUs(group: number): () => void {
  const watcher = spawn('sh', ['-c', 'cat; kill -INT -- "-$1"', 'sh', String(group)], {
    detached: true,
    // The pipe is what tells it: it ends when we do.
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  return () => watcher.kill('SIGKILL');
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `./ballast …` to its end. `cwd`: of its own for a command that remembers there where it belongs. */
export async function runBallast(
  words: string[],
  settings: Record<string, string>,
  program = executable,
  cwd = '/',
): Promise<CommandResult> {
  return await ended(spawn(program, words, { cwd, env: environment(settings), stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Runs commands as somebody pastes them into a shell in the checkout. It ends with the first one that fails. */
export async function runShell(script: string, settings: Record<string, string>): Promise<CommandResult> {
  return await runShellIn({ cwd: dirname(executable), env: environment(settings) }, script);
}

/** The same elsewhere, with nothing in its environment but what is given. */
export async function runShellIn(
  place: { cwd: string; env: NodeJS.ProcessEnv },
  script: string,
): Promise<CommandResult> {
  return await ended(spawn('sh', ['-e', '-c', script], { ...place, stdio: ['ignore', 'pipe', 'pipe'] }));
}

async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<CommandResult> {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, ...said };
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code));
  });
}
