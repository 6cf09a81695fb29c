import { spawn } from 'node:child_process';
import { OutboundFailed } from '../../failures.ts';

export interface GitRun {
  args: readonly string[];
  /** The bare repository. */
  folder: string;
  /** Secrets for the helper that signs in: never arguments, which every user of the machine can read. */
  secrets?: Readonly<Record<string, string>>;
  input?: string;
  mostBytes: number;
  signal: AbortSignal;
}

/** Nothing of the machine's or of a person's settings, no question, no program but git's own. */
const environment = {
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  GIT_ATTR_NOSYSTEM: '1',
};

/** Failures of git, with the end of what it said; not for people as it is. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/** Runs git in a group of its own, which ends as a whole when the signal says so or the answer is too long. */
export async function runGit({ args, folder, secrets = {}, input = '', mostBytes, signal }: GitRun): Promise<Buffer> {
  signal.throwIfAborted();
  const child = spawn('git', [...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', GIT_DIR: folder, ...environment, ...secrets },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has ended by itself.
    }
  };
  signal.addEventListener('abort', end, { once: true });
  const out: Buffer[] = [];
  let bytes = 0;
  let said = '';
  let tooLong = false;
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length;
    tooLong = bytes > mostBytes;
    if (tooLong) end();
    else out.push(piece);
  });
  child.stderr.on('data', (piece: Buffer) => {
    said = (said + piece.toString('utf8')).slice(-2_000);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    signal.throwIfAborted();
    if (tooLong) throw new OutboundFailed('The repository has too many files to be looked at.');
    if (code !== 0) throw new GitFailed(said.trim());
    return Buffer.concat(out);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
