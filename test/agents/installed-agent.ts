import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { type ArchivedFile, archive } from '../../agent/bundle/archive.ts';
import { identify, isAlive, processesWorkingIn, signal } from '../../machine/process-identity.ts';
import { until } from '../ground/until.ts';

/** A home of an agent in a temporary directory; `close` ends everything that has it in its command line, and deletes it. */
export function agentHome(): { path: string; close(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'ballast-installed-'));
  return {
    path,
    close: async () => {
      // Launchers first, then agents: each starts the next.
      await until('the end of all that runs in the home of the agent', async () => {
        const found = processesNaming(path).sort((one, other) => one - other);
        for (const pid of found) {
          const identity = identify(pid);
          if (identity !== undefined) signal(identity, 'SIGKILL');
        }
        return found.length === 0;
      });
      for (const left of processesWorkingIn(path)) if (isAlive(left)) signal(left, 'SIGKILL');
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Processes whose arguments name a path. Only on Linux. */
export function processesNaming(path: string): number[] {
  const listed = existsSync('/proc') ? readdirNumbers('/proc') : [];
  return listed.filter((pid) => pid !== process.pid && argumentsOf(pid).includes(path));
}

export function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function readdirNumbers(path: string): number[] {
  return readdirSync(path)
    .map(Number)
    .filter((number) => Number.isInteger(number));
}

/** Runs a script as people do: what it is called with, what it reads, what it says. */
export async function runScript(
  script: string,
  options: { args: string[]; input: string; environment?: Record<string, string>; program?: string },
): Promise<{ code: number | null; said: string }> {
  const child = spawn('sh', ['-c', script, options.program ?? 'ballast-install', ...options.args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input);
  const [out, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('exit', resolve)),
  ]);
  return { code, said: out + errors };
}

/** The same bundle with other files in it, or with more in the ones it has: another release. */
export async function changedBundle(
  bytes: Buffer,
  changes: Record<string, string>,
  additions: Record<string, string> = {},
): Promise<Buffer> {
  const files: ArchivedFile[] = [];
  const entries = extract();
  entries.end(gunzipSync(bytes));
  for await (const entry of entries) {
    const parts: Buffer[] = [];
    for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
    const { name, mode = 0 } = entry.header;
    files.push({ name, executable: (mode & 0o111) !== 0, bytes: Buffer.concat(parts) });
  }
  for (const [name, content] of Object.entries(changes)) {
    const known = files.find((file) => file.name === name);
    if (known === undefined) files.push({ name, bytes: Buffer.from(content), executable: false });
    else known.bytes = Buffer.from(content);
  }
  for (const file of files) {
    const more = additions[file.name];
    if (more !== undefined) file.bytes = Buffer.concat([file.bytes, Buffer.from(more)]);
  }
  return gzipSync(await archive(files));
}
