import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../ground/until.ts';

export interface PathThief {
  /** The paths at which it listens. */
  got(): string[];
  /** The paths at which somebody else listens who lets it connect. */
  reached(): string[];
  /** The requests that it was sent. */
  heard(): string[];
  end(): Promise<void>;
}

const program = fileURLToPath(new URL('path-thief-program.ts', import.meta.url));

/** Another user's process that takes these sockets as soon as it can. */
export async function pathThief(paths: readonly string[]): Promise<PathThief> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...paths], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const told = (what: string): string[] =>
    said.split('\n').flatMap((line) => {
      const entry: Record<string, string> = line.endsWith('}') ? JSON.parse(line) : {};
      return entry[what] ?? [];
    });
  const exited = once(child, 'exit');
  await until('the thief tries', async () => told('trying').length > 0 && child.exitCode === null);
  return {
    got: () => told('got'),
    reached: () => told('reached'),
    heard: () => told('heard'),
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
