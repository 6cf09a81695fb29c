import { spawn } from 'node:child_process';
import { chmodSync, closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { errorCode, Refusal } from '../supervisor/refusal.ts';
import { lastLines, run } from '../supervisor/run.ts';
import { compareVersions, temporalVersion } from '../supervisor/versions.ts';
import { isExecutable } from './executable.ts';
import { tellShare } from './share.ts';

interface Build {
  go: string;
  into: string;
  names: { server: string; sqlTool: string };
  progress: (text: string) => void;
  log: string;
  env: NodeJS.ProcessEnv;
}

const source = fileURLToPath(new URL('source', import.meta.url));
/** Against a download that hangs. */
const longestFetch = 1_800_000;
const packages = { server: 'go.temporal.io/server/cmd/server', sqlTool: 'go.temporal.io/server/cmd/tools/sql' };

/**
 * Builds the Temporal server from the versions and checksums that are pinned in runtime/temporal-server: both programs at
 * once, since they have nearly all of their packages in common.
 */
export async function buildTemporal({ go, into, names, progress, log, env }: Build): Promise<void> {
  const output = openSync(log, 'w', 0o600);
  const keep = (line: string) => writeSync(output, `${line}\n`);
  try {
    const total = await countPackages({ go, env, progress, keep });
    const began = Date.now();
    let built = 0;
    await runGo({ go, env }, buildArguments(into), (line) => {
      keep(line);
      // Each line names a package that was compiled; those that the compiler still had are not named.
      if (!/^[\w./-]+$/.test(line)) return;
      built = Math.min(built + 1, total);
      const far = tellShare({ done: built, total, sinceMilliseconds: Date.now() - began });
      progress(`building the Temporal server, ${far} (${built} of ${total} packages)`);
    });
    for (const part of ['server', 'sqlTool'] as const) {
      renameSync(join(into, basename(packages[part])), join(into, names[part]));
      chmodSync(join(into, names[part]), 0o755);
    }
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    const said = lastLines(readFileSync(log, 'utf8'), 2) || 'nothing';
    throw new Refusal(
      `The Temporal server could not be built from source: Go said "${said}" (all of it: ${log}). Correct that and start again, or set TEMPORAL_ARCHIVE to a release archive (a file or an https address) or TEMPORAL_SERVER to an installed temporal-server.`,
    );
  } finally {
    closeSync(output);
  }
}

interface Counting extends Going {
  progress: (text: string) => void;
  keep: (line: string) => void;
}

/** A quarter of the compiler's time goes into what debuggers read, which the linker would leave out anyway. */
export function buildArguments(into: string): string[] {
  const bare = ['-trimpath', '-gcflags', 'all=-dwarf=false', '-ldflags', '-s -w'];
  return ['build', '-v', ...bare, '-o', `${into}/`, ...Object.values(packages)];
}

/** Takes a second of the build's minutes. The first time it downloads the source, module by module. */
async function countPackages({ go, env, progress, keep }: Counting): Promise<number> {
  const step = 'fetching the source of the Temporal server';
  progress(step);
  let modules = 0;
  const listed = await runGo(
    { go, env, timeout: longestFetch },
    ['list', '-deps', ...Object.values(packages)],
    (line) => {
      keep(line);
      if (!line.startsWith('go: downloading ')) return;
      modules += 1;
      progress(`${step} (${modules} ${modules === 1 ? 'module' : 'modules'})`);
    },
  );
  return Math.max(1, listed.trim().split('\n').length);
}

class BuildFailure extends Error {}

interface Going {
  go: string;
  env: NodeJS.ProcessEnv;
  timeout?: number;
}

/** Passes on what Go says line by line, and answers what it prints besides. */
async function runGo({ go, env, timeout }: Going, args: string[], onLine: (line: string) => void): Promise<string> {
  const child = spawn(go, args, {
    ...{ cwd: source, env: settled(env), ...(timeout === undefined ? {} : { timeout }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A start that is broken off takes the compiler with it.
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  createInterface({ input: child.stderr }).on('line', onLine);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (...how) => resolve(how));
    });
    if (signal !== null) onLine(`go ${args[0]} was ended by ${signal}`);
    if (code !== 0) throw new BuildFailure();
    return printed;
  } catch (error) {
    if (error instanceof BuildFailure) throw error;
    throw new Refusal(`${go} cannot be run (${errorCode(error)}); install Go again.`);
  } finally {
    process.off('exit', end);
  }
}

/** The toolchain that is installed and the versions that are pinned, or nothing. */
function settled(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };
}

interface Seeking {
  env: NodeJS.ProcessEnv;
  /** Why the official release cannot be used: told together with what else is missing. */
  release: string;
  goDirectories?: readonly string[];
}

/** A Go that can build the server. Those who have none are told all that helps. */
export async function findGo({ env, release, goDirectories = usualDirectories(env) }: Seeking): Promise<string> {
  const wanted = /^go (\d+\.\d+(?:\.\d+)?)$/m.exec(readFileSync(join(source, 'go.mod'), 'utf8'))?.[1] ?? '0';
  const directories = [...(env.PATH ?? '').split(delimiter).filter((entry) => entry.startsWith('/')), ...goDirectories];
  let tooOld: string | undefined;
  for (const go of directories.map((directory) => join(directory, 'go')).filter(isExecutable)) {
    const printed = await run('Asking for the version', go, ['env', 'GOVERSION'], { env: settled(env) }).catch(
      () => '',
    );
    const version = /^go(\d+\.\d+(?:\.\d+)?)/.exec(printed)?.[1];
    if (version !== undefined && compareVersions(version, wanted) >= 0) return go;
    tooOld ??= version;
  }
  const lacking = tooOld === undefined ? 'there is no Go' : `Go ${tooOld} is too old`;
  throw new Refusal(
    `There is no Temporal server ${temporalVersion}: its release cannot be used (${release}) and ${lacking} to build one. Set TEMPORAL_ARCHIVE to a release archive (a file or an https address), set TEMPORAL_SERVER to an installed temporal-server, or install Go ${wanted} and start again: ${installCommand(wanted)}`,
  );
}

function usualDirectories(env: NodeJS.ProcessEnv): string[] {
  return ['/usr/local/go/bin', join(env.HOME || homedir(), '.local/go/bin'), '/opt/homebrew/bin', '/usr/local/bin'];
}

function installCommand(version: string): string {
  if (process.platform === 'darwin') return 'brew install go && ./ballast up';
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const archive = `https://go.dev/dl/go${version}.${process.platform}-${architecture}.tar.gz`;
  return `mkdir -p ~/.local && curl -fsSL ${archive} | tar -xz -C ~/.local && ./ballast up`;
}
