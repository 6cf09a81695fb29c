import { readFileSync } from 'node:fs';
import { until } from '../ground/until.ts';
import { signalProcess } from './process-family.ts';

/** Settings of an installation whose processes `heldBytes` can inspect; the inspector stays closed until then. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=0' };

/**
 * Memory that a Node process holds after a full garbage collection. Resident size would tell nothing: that stays
 * as large as the most garbage there ever was. Asked of its inspector, which a signal opens.
 */
export async function heldBytes(pid: number, log: string): Promise<number> {
  signalProcess(pid, 'SIGUSR1');
  const address = await until('the inspector', async () => {
    return [...readFileSync(log, 'utf8').matchAll(/Debugger listening on (ws:\S+)/g)].at(-1)?.[1];
  });
  const inspector = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    inspector.addEventListener('open', () => resolve());
    inspector.addEventListener('error', () => reject(new Error(`${address} cannot be opened.`)));
  });
  try {
    await ask(inspector, 1, 'HeapProfiler.collectGarbage', {});
    const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
    const answer: { result: { result: { value: number } } } = await ask(inspector, 2, 'Runtime.evaluate', {
      expression,
    });
    return answer.result.result.value;
  } finally {
    inspector.close();
  }
}

function ask<T>(inspector: WebSocket, id: number, method: string, params: object): Promise<T> {
  return new Promise((resolve) => {
    inspector.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data));
      if (answer.id === id) resolve(answer);
    });
    inspector.send(JSON.stringify({ id, method, params }));
  });
}
