import { type OpeningKey, readOpeningKey } from '../../backup/backup-key.ts';
import { backupsIn, findBackup } from '../../backup/backups-in.ts';
import { openPlace, type Place } from '../../backup/place.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { verifyBackup } from '../../backup/verify-backup.ts';
import { readSettings, type Settings } from '../../domain/settings/settings.ts';
import { command, UsageError } from '../engine/command.ts';
import { Progress } from '../engine/progress.ts';
import { bytesOf, megabytes, stepsOf } from './backup.ts';

const from = { type: 'string', value: 'PLACE', what: 'Where from: a directory, or s3://BUCKET/PREFIX.' } as const;
const backup = { type: 'string', value: 'NAME', what: 'Which one; the newest if left out.' } as const;
const keyFile = {
  type: 'string',
  value: 'FILE',
  what: 'File with the key that `./ballast admin backup --new-key` printed; - reads it from standard input.',
} as const;
const json = { type: 'boolean', what: 'Print JSON.' } as const;

export const adminBackups = command({
  summary: 'Lists the backups of a place, the newest first',
  usage: '--from PLACE [--json]',
  options: { from, json },
  run: async ({ from: given, json: asJson }) => {
    await inPlace(given, async (place) => {
      const found = await backupsIn(place);
      if (asJson) {
        const items = found.map((one) => ({
          name: one.name,
          createdAt: one.createdAt,
          recipient: one.recipient,
          bytes: bytesOf(one),
        }));
        process.stdout.write(`${JSON.stringify({ backups: items })}\n`);
        return;
      }
      if (found.length === 0) process.stdout.write(`There is no complete backup in ${place.title}.\n`);
      for (const one of found)
        process.stdout.write(`${one.name}  ${megabytes(bytesOf(one))}  Ballast ${one.version}  ${one.recipient}\n`);
    });
  },
});

export const adminVerify = command({
  summary: 'Proves that a backup can be restored, by restoring it beside this installation',
  usage: '--from PLACE [--backup NAME] [--key-file FILE] [--json]',
  details: `With the key: the databases are restored into a temporary directory and read by a PostgreSQL of its own, each image is read and compared
with its digest. Without the key only the bytes are compared with what was written. Nothing of a running installation is touched.`,
  options: { from, backup, 'key-file': keyFile, json },
  run: async ({ from: given, backup: name, 'key-file': file, json: asJson }) => {
    await inPlace(given, async (place) => {
      const key = file === undefined ? undefined : await readOpeningKey(file);
      const manifest = await findBackup(place, name, key);
      const began = Date.now();
      const verified = await withSteps((onStep) => verifyBackup({ place, manifest, key, onStep }));
      const seconds = (Date.now() - began) / 1000;
      if (asJson) {
        process.stdout.write(`${JSON.stringify({ backup: manifest.name, ...verified, seconds })}\n`);
        return;
      }
      const rows = Object.entries(verified.rows).map(([what, count]) => `${what} ${count}`);
      process.stdout.write(
        verified.restored
          ? `The backup ${manifest.name} was restored beside this installation in ${seconds.toFixed(1)} s: ${[...rows, `blobs of images ${verified.images}`].join(', ')}.\n`
          : `The backup ${manifest.name} has the bytes that were written. Only --key-file proves that it can be restored.\n`,
      );
    });
  },
});

export const adminRestore = command({
  summary: 'Restores a backup of the control plane into an empty home',
  usage: '--from PLACE --key-file FILE [--backup NAME] [--new-temporal] [--json]',
  details: `On a machine with this version of Ballast or a later one of the same PostgreSQL; then \`npm start\`. BALLAST_HOME must be empty, and
DATABASE_URL, if the installation has one, must name an empty database. Interrupted, it is run again. What was decided after the backup was taken
is not known afterwards; deployments, builds and approvals of then go on. Other settings are not in a backup: give the same ones again.`,
  options: {
    from,
    'key-file': keyFile,
    backup,
    'new-temporal': { type: 'boolean', what: 'The Temporal that TEMPORAL_ADDRESS names was set up anew.' },
    json,
  },
  run: async ({ from: given, backup: name, 'key-file': file, 'new-temporal': newTemporal, json: asJson }) => {
    if (file === undefined) throw new UsageError('Give the key of the backup with --key-file FILE; see --help.');
    await inPlace(given, async (place, settings) => {
      const key: OpeningKey = await readOpeningKey(file);
      const manifest = await findBackup(place, name, key);
      const { images } = await withSteps((onStep) =>
        restoreBackup({ settings, place, manifest, key, newTemporal: newTemporal === true, onStep }),
      );
      const { BALLAST_HOME: home } = settings;
      if (asJson)
        process.stdout.write(
          `${JSON.stringify({ restored: manifest.name, takenAt: manifest.createdAt, home, images })}\n`,
        );
      else
        process.stdout.write(
          `The backup ${manifest.name} is restored into ${home}, with ${images} blobs of images. It knows what was so at ${manifest.createdAt}.
Start it: npm start. Volumes of applications are not in it: on a new machine they begin empty, so put their data back before.\n`,
        );
    });
  },
});

async function inPlace(
  given: string | undefined,
  work: (place: Place, settings: Settings) => Promise<void>,
): Promise<void> {
  if (given === undefined)
    throw new UsageError('Say where from, with --from DIRECTORY or --from s3://BUCKET/PREFIX; see --help.');
  const settings = readSettings(process.env);
  const place = openPlace(given, settings);
  try {
    await work(place, settings);
  } finally {
    await place.close();
  }
}

async function withSteps<T>(work: (onStep: (step: string) => void) => Promise<T>): Promise<T> {
  const progress = new Progress(process.stderr);
  const steps = stepsOf(progress);
  try {
    return await work(steps.next);
  } finally {
    steps.end();
    progress.end();
  }
}
