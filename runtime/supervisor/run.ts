import { execFile } from 'node:child_process';
import { Refusal } from './refusal.ts';

interface Options {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  user?: { uid: number; gid: number } | undefined;
  timeoutMilliseconds?: number;
}

/** Runs a program to its end and answers what it printed; throws a refusal with its last words when it fails. */
export function run(what: string, file: string, args: readonly string[], options: Options = {}): Promise<string> {
  const { user, timeoutMilliseconds, ...rest } = options;
  return new Promise((resolve, reject) => {
    execFile(
      file,
      [...args],
      { ...rest, ...user, encoding: 'utf8', timeout: timeoutMilliseconds ?? 120_000, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const said = lastLines(`${stdout}\n${stderr}`, 3) || error.message;
        reject(new Refusal(`${what} failed: ${said}`));
      },
    );
  });
}

/** Programs that log JSON print lines that are no help in a sentence. */
const longestLine = 300;

export function lastLines(text: string, count: number): string {
  return text
    .split('\n')
    .map((line) => line.trim().slice(0, longestLine))
    .filter((line) => line !== '')
    .slice(-count)
    .join(' | ');
}
