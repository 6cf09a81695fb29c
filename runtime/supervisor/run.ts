import { execFile } from 'node:child_process';
import { Refusal } from './refusal.ts';

interface Options {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  user?: { uid: number; gid: number } | undefined;
  timeoutMilliseconds?: number;
}

/** The program was ended because it took too long: nothing is known about what it would have said. */
export class OutOfTime extends Refusal {}

/** Runs a program to its end and answers what it printed; throws a refusal with its last words when it fails. */
export function run(what: string, file: string, args: readonly string[], options: Options = {}): Promise<string> {
  const { user, timeoutMilliseconds: timeout = 120_000, ...rest } = options;
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      [...args],
      { ...rest, ...user, encoding: 'utf8', timeout, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        // Only a time-out kills it from here; whatever else ends it is told by its code or its signal.
        if (error.killed && child.signalCode === 'SIGKILL') {
          return reject(
            new OutOfTime(`${what} did not end within ${timeout / 1000} s; try again when the machine is less busy.`),
          );
        }
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
