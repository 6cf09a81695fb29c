import { spawn } from 'node:child_process';
import { until } from '../ground/until.ts';

export interface Terminal {
  /** All that it has shown, the standard output and the standard error as one. */
  shown(): string;
  /** Waits until it shows this, then types. Ctrl-C is `\x03`, Ctrl-D `\x04`. */
  answer(shown: string, typed: string): Promise<void>;
  /** The exit code. */
  ended: Promise<number | null>;
}

/** Runs a program at a terminal of its own, by `script` of util-linux, which every Debian has. */
export function atTerminal(words: readonly string[], place: { cwd: string; env: NodeJS.ProcessEnv }): Terminal {
  const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], { ...place, stdio: 'pipe' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  return {
    shown: () => said,
    async answer(shown, typed) {
      await until(`the terminal shows "${shown}"`, async () => said.includes(shown), 60).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${said}`);
      });
      child.stdin.write(typed);
    },
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }),
  };
}
