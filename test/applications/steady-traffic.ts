import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface TrafficOrder {
  /** Of the ingress. */
  url: string;
  host: string;
  path: string;
  perSecond: number;
}

export interface Traffic {
  sent: number;
  failures: string[];
  /** Milliseconds that the slowest answer took. */
  slowest: number;
  /** Which versions of the sample application have answered, the first one first. */
  versions: string[];
  /** Requests that an earlier version answered although a later one had answered before they were sent. */
  stale: number;
}

const program = fileURLToPath(new URL('steady-traffic-program.ts', import.meta.url));

/** People who go on using an application, from a process of their own: a busy test must not look like a lost request. */
export async function steadyTraffic(order: TrafficOrder): Promise<{ end(): Promise<Traffic> }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  return {
    async end() {
      child.kill('SIGTERM');
      await ended;
      const last = said.trimEnd().split('\n').at(-1) ?? '';
      return JSON.parse(last);
    },
  };
}
