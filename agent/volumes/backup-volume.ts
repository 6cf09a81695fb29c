import type { BackupProgress, BackupVolumeBody } from '../../protocol/volume.ts';
import type { Run, RunResult } from '../commands/run.ts';
import type { Driver } from '../drivers/driver.ts';
import { gnuTar } from './archive.ts';
import { transfer } from './transfer-process.ts';

/** Packs the files of a volume into an object, while their programs go on. */
export async function backupVolume(
  { key, volume, store, objectKey, bytesPerSecond }: BackupVolumeBody,
  run: Run,
  { volumes }: Pick<Driver, 'volumes'>,
): Promise<RunResult> {
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
  const line = await transfer(job, run.signal, told);
  if ('stored' in line) return { outcome: 'done', exitCode: 0, stored: line.stored };
  if (run.signal.aborted) return { outcome: 'cancelled' };
  return failed('fault' in line ? line.fault : 'The program that packs the volume did not pack it.');
}

function failed(message: string): RunResult {
  return { outcome: 'failed', message };
}
