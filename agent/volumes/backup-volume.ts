import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { BackupProgress, BackupVolumeBody } from '../../protocol/volume.ts';
import { ownProgram } from '../bundle/own-program.ts';
import type { Run, RunResult } from '../commands/run.ts';
import type { Driver } from '../drivers/driver.ts';
import { gnuTar } from './archive.ts';
import type { TransferJob, TransferLine } from './transfer-program.ts';

/** Behind the instances and the agent. */
const nice = 10;
const killedAfterMillis = 20_000;

/** Packs the files of a volume into an object, while their programs go on. */
export async function backupVolume(
  { key, volume, store, objectKey, bytesPerSecond }: BackupVolumeBody,
  run: Run,
  driver: Pick<Driver, 'volumes' | 'volumePath'>,
): Promise<RunResult> {
  const found = (await driver.volumes()).find((one) => one.key === key && one.name === volume);
  if (found === undefined)
    return failed(`There is no volume ${volume} on this machine: nothing has been written to it yet.`);
  if (!(await gnuTar())) return failed('Backups need GNU tar, which this machine lacks: install tar.');
  const told = (archiveBytes: number, storedBytes: number) => {
    const progress: BackupProgress = { archiveBytes, storedBytes, volumeBytes: found.usedBytes };
    run.output('progress', Buffer.from(JSON.stringify(progress)));
  };
  told(0, 0);
  const job = { path: driver.volumePath(key, volume), objectKey, store, bytesPerSecond };
  const line = await transfer(job, run.signal, told);
  if ('stored' in line) return { outcome: 'done', exitCode: 0, stored: line.stored };
  return run.signal.aborted ? { outcome: 'cancelled' } : failed(line.fault);
}

/** The last word of the program that does it. */
async function transfer(
  job: TransferJob,
  signal: AbortSignal,
  told: (archiveBytes: number, storedBytes: number) => void,
): Promise<Exclude<TransferLine, { passed: unknown }>> {
  const program = ownProgram('transfer-program', new URL('./transfer-program.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.pid !== undefined) setPriority(child.pid, nice);
  let last: Exclude<TransferLine, { passed: unknown }> | undefined;
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
  return last ?? { fault: `The program that packs the volume ended with ${code ?? killed} and did not say why.` };
}

function failed(message: string): RunResult {
  return { outcome: 'failed', message };
}
