import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ConnectionsOrder {
  url: string;
  perSecond: number;
  /** Each request is a POST for this host that says which one it is: `?id=<number>`. */
  effectsOn?: string;
}

export interface Connections {
  sent: number;
  answered: number;
  refused: number;
  /** Accepted by a process that was killed before it answered. */
  reset: number;
  /** Anything else that is no answer with 200. */
  strange: string[];
  /** Milliseconds that the slowest answer took. */
  slowest: number;
  /** The numbers of the requests that were answered, where they have any. */
  ids: number[];
}

const program = fileURLToPath(new URL('new-connections-program.ts', import.meta.url));

/** People who come anew all the time, from a process of their own. */
export async function newConnections(order: ConnectionsOrder) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit');
  return {
    /** Resolves with the outcome of all connections opened by now, when none of those waits any more. */
    async settled(): Promise<Connections> {
      child.stdin.write('\n');
      const [line] = await once(lines, 'line');
      return JSON.parse(line);
    },
    async end(): Promise<void> {
      child.stdin.end();
      await exited;
    },
  };
}
