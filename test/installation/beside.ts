import { isAlive } from '../../machine/process-identity.ts';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';
import { startBallast } from './ballast-command.ts';
import { familyOf, signalProcess } from './process-family.ts';

/** An API or a worker that somebody runs beside an installation, as on another machine. */
export interface BesideProcess {
  /** Where an API answers; of a worker, where it tells its health. */
  url: string;
  /** All that it has printed: it logs to its standard output. */
  output(): string;
  over(): boolean;
  ready(): Promise<boolean>;
  /** The process that does the work; `./ballast` only hands over to it. */
  pid(): number;
  /** kill -9. */
  kill(): void;
  /** Asks it to end and waits for that. */
  stop(): Promise<void>;
}

export async function startBeside(kind: 'api' | 'worker', env: Record<string, string>): Promise<BesideProcess> {
  const port = await freePort();
  const one = startBallast([kind], { ...env, [kind === 'api' ? 'PORT' : 'WORKER_PORT']: String(port) });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    output: one.output,
    over: one.over,
    ready: async () =>
      fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ),
    pid: () => familyOf(one.pid).at(-1)?.pid ?? one.pid,
    kill: () => {
      for (const { pid } of familyOf(one.pid).toReversed()) signalProcess(pid, 'SIGKILL');
    },
    async stop() {
      const family = familyOf(one.pid);
      if (!one.over()) signalProcess(one.pid, 'SIGTERM');
      try {
        await until(`the ${kind} beside has ended`, async () => one.over() && !family.some(isAlive), 60);
      } finally {
        for (const { pid, ...rest } of family) if (isAlive({ pid, ...rest })) signalProcess(pid, 'SIGKILL');
      }
    },
  };
}
