import { spawn } from 'node:child_process';
import { chmodSync, closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { errorCode, Refusal } from '../supervisor/refusal.ts';
import { lastLines, run } from '../supervisor/run.ts';
import { compareVersions, temporalVersion } from '../supervisor/versions.ts';
import { isExecutable } from './temporal-binary.ts';

interface Build {
  into: string;
  names: { server: string; sqlTool: string };
  progress: (text: string) => void;
  log: string;
}

const source = fileURLToPath(new URL('source', import.meta.url));
const packages = { server: 'go.temporal.io/server/cmd/server', sqlTool: 'go.temporal.io/server/cmd/tools/sql' };

/** Builds the Temporal server from the versions and checksums that are pinned in runtime/temporal-server. */
export async function buildTemporal({ into, names, progress, log }: Build): Promise<void> {
  const go = await findGo();
  progress('fetching the source of the Temporal server');
  const known = await run(
    'Listing the packages of the Temporal server',
    go,
    ['list', '-deps', ...Object.values(packages)],
    {
      cwd: source,
      env: environment(),
      timeoutMilliseconds: 1_800_000,
    },
  );
  const total = known.trim().split('\n').length;
  const output = openSync(log, 'w', 0o600);
  let built = 0;
  try {
    for (const part of ['server', 'sqlTool'] as const) {
      const target = join(into, names[part]);
      await compile(go, ['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', target, packages[part]], (line) => {
        writeSync(output, `${line}\n`);
        // Each line names a package that was compiled; what the compiler still had is not named, so this is a bound.
        if (/^[\w./-]+$/.test(line)) {
          built = Math.min(built + 1, total);
          progress(`building the Temporal server, ${built} of at most ${total} packages`);
        }
      });
      chmodSync(target, 0o755);
    }
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    const said = lastLines(readFileSync(log, 'utf8'), 2);
    throw new Refusal(`The Temporal server could not be built (${said}); ${log} tells more. Or set TEMPORAL_SERVER.`);
  } finally {
    closeSync(output);
  }
}

class BuildFailure extends Error {}

function compile(go: string, args: string[], onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(go, args, { cwd: source, env: environment(), stdio: ['ignore', 'ignore', 'pipe'] });
    const lines = createInterface({ input: child.stderr });
    lines.on('line', onLine);
    child.once('error', (error) => reject(new Refusal(`${go} cannot be run (${errorCode(error)}); install Go again.`)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(new BuildFailure())));
    // A start that is broken off takes the compiler with it.
    const end = () => child.kill('SIGTERM');
    process.once('exit', end);
    child.once('close', () => process.off('exit', end));
  });
}

/** The toolchain that is installed and the versions that are pinned, or nothing. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };
}

async function findGo(): Promise<string> {
  const wanted = /^go (\d+\.\d+(?:\.\d+)?)$/m.exec(readFileSync(join(source, 'go.mod'), 'utf8'))?.[1] ?? '0';
  const usual = ['/usr/local/go/bin', join(homedir(), '.local/go/bin'), '/opt/homebrew/bin', '/usr/local/bin'];
  const directories = [...(process.env.PATH ?? '').split(delimiter).filter((entry) => entry.startsWith('/')), ...usual];
  let tooOld: string | undefined;
  for (const go of directories.map((directory) => join(directory, 'go')).filter(isExecutable)) {
    const printed = await run('Asking for the version', go, ['env', 'GOVERSION'], { env: environment() }).catch(
      () => '',
    );
    const version = /^go(\d+\.\d+(?:\.\d+)?)/.exec(printed)?.[1];
    if (version !== undefined && compareVersions(version, wanted) >= 0) return go;
    tooOld ??= version;
  }
  const lacking = tooOld === undefined ? 'there is no Go' : `Go ${tooOld} is too old`;
  throw new Refusal(
    `No Temporal server ${temporalVersion} was found and ${lacking} to build one; this installs Go ${wanted} and starts again: ${installCommand(wanted)}`,
  );
}

function installCommand(version: string): string {
  if (process.platform === 'darwin') return 'brew install go && ./ballast up';
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const archive = `https://go.dev/dl/go${version}.${process.platform}-${architecture}.tar.gz`;
  return `mkdir -p ~/.local && curl -fsSL ${archive} | tar -xz -C ~/.local && ./ballast up`;
}
