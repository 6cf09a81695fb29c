import type { BackupProgress, BackupVolumeBody } from '../../protocol/volume.ts';
import type { Run, RunResult } from '../commands/run.ts';
import { gnuTar } from './archive.ts';
import type { Standing } from './standstill.ts';
import { transfer } from './transfer-process.ts';
import type { TransferEnd } from './transfer-program.ts';

/** Packs the files of a volume into an object. Their programs go on, or stand still with `quiesce`. */
export async function backupVolume(
  { key, volume, store, objectKey, bytesPerSecond, quiesce }: BackupVolumeBody,
  run: Run,
  { volumes, whileStill }: Standing,
): Promise<RunResult> {
  const { signal } = run;
  const found = (await volumes.list()).find((one) => one.key === key && one.name === volume);
  if (found === undefined)
    return failed(`There is no volume ${volume} on this machine: nothing has been written to it yet.`);
  if (!(await gnuTar())) return failed('Backups need GNU tar, which this machine lacks: install tar.');
  const told = (archiveBytes: number, storedBytes: number) => {
    const progress: BackupProgress = { archiveBytes, storedBytes, volumeBytes: found.usedBytes };
    run.output('progress', Buffer.from(JSON.stringify(progress)));
  };
  told(0, 0);
  const job = { path: volumes.path(key, volume), objectKey, store, bytesPerSecond };
  let line: TransferEnd | undefined;
  const pack = async () => {
    line = await transfer(job, signal, told);
  };
  const still = quiesce ? await whileStill({ key, volume, signal }, pack) : await pack();
  if (line !== undefined && 'stored' in line)
    return { outcome: 'done', exitCode: 0, stored: { ...line.stored, ...still } };
  if (signal.aborted) return { outcome: 'cancelled' };
  return failed(
    line !== undefined && 'fault' in line ? line.fault : 'The program that packs the volume did not pack it.',
  );
}

function failed(message: string): RunResult {
  return { outcome: 'failed', message };
}
