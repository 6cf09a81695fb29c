import { execFile } from 'node:child_process';
import { stat, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { RestoreProgress, RestoreVolumeBody } from '../../protocol/volume.ts';
import type { Run, RunResult } from '../commands/run.ts';
import type { Driver } from '../drivers/driver.ts';
import { stagedName } from '../drivers/process/volumes.ts';
import { Refusal } from '../program/refusal.ts';
import { gnuTar } from './archive.ts';
import type { Standing } from './standstill.ts';
import { transfer } from './transfer-process.ts';

const execute = promisify(execFile);

/**
 * Puts an archive, or data that were kept, in the place of a volume. The files are fetched and checked beside it first, while its
 * processes go on; they stand still for two renames alone. The journal knows that the replacement begins, and whoever comes after a
 * crash sees by the names whether it happened.
 */
export async function restoreVolume(body: RestoreVolumeBody, run: Run, machine: Standing): Promise<RunResult> {
  const { key, volume, keptAs, from } = body;
  const { volumes } = machine;
  const { signal } = run;
  let [archiveBytes, fetchedBytes] = [0, 0];
  const tell = (phase: RestoreProgress['phase']) => {
    const progress: RestoreProgress = { phase, fetchedBytes, archiveBytes };
    run.output('progress', Buffer.from(JSON.stringify(progress)));
  };
  try {
    if ('store' in from) {
      tell('fetching');
      await fetch(from, body, machine, signal, (...passed) => {
        [archiveBytes, fetchedBytes] = passed;
        tell('fetching');
      });
    } else if (!volumes.isThere(key, from.kept)) {
      throw new Refusal('The data that were kept are not on this machine any more.');
    }
    tell('replacing');
    const { stoppedMillis } = await machine.whileStill({ key, volume, signal }, () => {
      run.began('replacing');
      volumes.replace({ key, name: volume, by: nameOf(body), keptAs });
    });
    const replaced = { kept: volumes.isThere(key, keptAs), ...(stoppedMillis === undefined ? {} : { stoppedMillis }) };
    return { outcome: 'done', exitCode: 0, replaced };
  } catch (error) {
    await volumes.discard(key, keptAs);
    throw error;
  }
}

/** The end of one whose agent was killed. */
export async function endInterruptedRestore(
  body: RestoreVolumeBody,
  mark: string | undefined,
  volumes: Driver['volumes'],
): Promise<RunResult> {
  const { key, keptAs } = body;
  if (mark !== undefined && !volumes.isThere(key, nameOf(body)))
    return { outcome: 'done', exitCode: 0, replaced: { kept: volumes.isThere(key, keptAs) } };
  await volumes.discard(key, keptAs);
  return {
    outcome: 'failed',
    message: 'The agent was interrupted in the restore. The volume has the data that it had; restore again.',
  };
}

/** Of the directory that comes in the place of the volume. */
function nameOf({ from, keptAs }: RestoreVolumeBody): string {
  return 'kept' in from ? from.kept : stagedName(keptAs);
}

async function fetch(
  { store, objectKey, stored, bytesPerSecond }: Extract<RestoreVolumeBody['from'], { store: unknown }>,
  { key, keptAs }: RestoreVolumeBody,
  { volumes }: Standing,
  signal: AbortSignal,
  told: (archiveBytes: number, objectBytes: number) => void,
): Promise<void> {
  if (!(await gnuTar())) throw new Refusal('Restores need GNU tar, which this machine lacks: install tar.');
  const { path } = await volumes.stage(key, keptAs);
  const { bavail, bsize } = await statfs(path);
  if (bavail * bsize < stored.archiveBytes) {
    throw new Refusal(
      `The disk of the volume has ${bavail * bsize} bytes free, and the files of the backup take ${stored.archiveBytes}: free some, or grow the disk.`,
    );
  }
  const end = await transfer({ path, objectKey, store, bytesPerSecond, fetch: stored }, signal, told);
  signal.throwIfAborted();
  if (!('fetched' in end)) throw new Refusal('fault' in end ? end.fault : 'The backup was not unpacked.');
  await give(path, volumes.userOf(key));
  // Names and contents are on disk before they are taken for the volume's.
  await execute('sync', ['--file-system', path]);
}

/** Files of the workload's own user, who had another number when they were packed, are its own again. */
async function give(path: string, user: number | undefined): Promise<void> {
  const { uid } = await stat(path);
  if (user === undefined || uid === user || uid === 0) return;
  await execute('chown', ['-hR', `--from=${uid}`, `${user}:${user}`, '--', path]);
}
