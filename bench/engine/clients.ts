import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { end, surroundings } from './node-process.ts';

/** A program of clients, which tells what it has seen whenever it is asked. */
export interface Clients<Report> extends AsyncDisposable {
  report(): Promise<Report>;
}

/** Starts a program that serves `answerReports` in a process of its own; resolves when that is ready. */
export async function startClients<Report>(file: string, given: unknown): Promise<Clients<Report>> {
  const child: ChildProcess = fork(new URL(`../../${file}`, import.meta.url), [JSON.stringify(given)], {
    env: surroundings(),
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const said = async (): Promise<unknown> => {
    const leaving = new AbortController();
    try {
      return await Promise.race([
        once(child, 'message', leaving).then(([message]) => message),
        once(child, 'exit', leaving).then(() => Promise.reject(new Error(`${file} ended.`))),
      ]);
    } finally {
      leaving.abort();
    }
  };
  await said();
  return {
    async report() {
      const answer = said();
      child.send('report');
      return (await answer) as Report;
    },
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** For such a program: says that it is ready, and answers whoever asks. */
export function answerReports(report: () => unknown): void {
  process.on('message', () => process.send?.(report()));
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}
