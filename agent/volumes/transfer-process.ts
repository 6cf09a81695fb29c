import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { ownProgram } from '../bundle/own-program.ts';
import type { TransferEnd, TransferJob, TransferLine } from './transfer-program.ts';

/** Behind the instances and the agent. */
const nice = 10;
const killedAfterMillis = 20_000;

/** The last word of the program that does it. */
export async function transfer(
  job: TransferJob,
  signal: AbortSignal,
  told: (archiveBytes: number, objectBytes: number) => void,
): Promise<TransferEnd> {
  const program = ownProgram('transfer-program', new URL('./transfer-program.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.pid !== undefined) setPriority(child.pid, nice);
  let last: TransferEnd | undefined;
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as TransferLine;
    if ('passed' in line) told(...line.passed);
    else last = line;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(job)}\n`);
  let killing: NodeJS.Timeout | undefined;
  const stop = () => {
    child.stdin.end();
    killing = setTimeout(() => child.kill('SIGKILL'), killedAfterMillis);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const [code, killed] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(killing);
  signal.removeEventListener('abort', stop);
  return (
    last ?? { fault: `The program that packs and unpacks volumes ended with ${code ?? killed} and did not say why.` }
  );
}
