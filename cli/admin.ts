import {
  keepWritingKey,
  newOpeningKey,
  type OpeningKey,
  readOpeningKey,
  readWritingKey,
} from '../backup/backup-key.ts';
import { backupsIn, findBackup } from '../backup/backups-in.ts';
import { type BackupStore, openPlace } from '../backup/place.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { type Taken, takeBackup } from '../backup/take-backup.ts';
import { verifyBackup } from '../backup/verify-backup.ts';
import { effect } from '../db/engine/effect.ts';
import { createSignInLink } from '../db/sign-in/sign-in-links.ts';
import { readSettings, type Settings } from '../domain/settings/settings.ts';
import { isAlive } from '../machine/process-identity.ts';
import { startPostgres } from '../runtime/ground.ts';
import { type Home, readHome } from '../runtime/home/home.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { readRunRecord } from '../runtime/supervisor/run-record.ts';
import { machine } from './database/machine.ts';
import { command, jsonOption, UsageError } from './engine/command.ts';
import { wholeNumberOf } from './engine/given.ts';
import type { Outcome } from './engine/outcome.ts';
import { Progress } from './engine/progress.ts';
import { toldLink } from './sign-in.ts';
import { refuseDisabled, whom, withUser } from './user.ts';

export const adminBackup = command({
  summary: 'Takes a backup of the control plane while it runs: databases, keys, images',
  usage: '--to PLACE [--new-key] [--keep N] [--json]',
  details: `PLACE is a directory, or a bucket as s3://BUCKET/PREFIX with the settings BACKUP_S3_…. Rows, Temporal and its visibility are of one
moment; images that the place has are not copied again. All of it is encrypted to a key whose private half is not in the backup and
not on this machine: \`--new-key\` makes one and prints it once. Of a PostgreSQL or Temporal of your own: the rows are in the backup,
its Temporal is not. Volumes of applications are not part of it. For a schedule run it from cron, with \`--keep\`.`,
  options: {
    to: { type: 'string', value: 'PLACE', what: 'Where to: a directory, or s3://BUCKET/PREFIX.' },
    'new-key': { type: 'boolean', what: 'Make a new key for backups, and print it once.' },
    keep: { type: 'string', value: 'N', what: 'Delete the oldest ones afterwards, so that N stay.' },
    ...jsonOption,
  },
  run: async ({ to, 'new-key': newKey, keep }) => {
    if (to === undefined)
      throw new UsageError('Say where to, with --to DIRECTORY or --to s3://BUCKET/PREFIX; see --help.');
    const settings = readSettings(process.env);
    const home = readHome(settings.BALLAST_HOME);
    const made = newKey === true ? await newOpeningKey() : undefined;
    const key = made ?? readWritingKey(home);
    if (key === undefined) {
      throw new Refusal(
        'Backups are encrypted, and this installation has no key for them yet; add --new-key, and keep what it prints elsewhere: without it no backup can be restored.',
      );
    }
    const progress = new Progress(process.stderr);
    const place = openPlace(to, settings);
    const running = await postgresOf(home);
    const steps = stepsOf(progress);
    try {
      const kept = wholeNumberOf('--keep', keep, 1, 10_000);
      const taken = await takeBackup({ home, settings, place, key, keep: kept, onStep: steps.next });
      steps.end();
      // Kept only now: a key that nobody was told must not be what later backups are encrypted to.
      if (made !== undefined) keepWritingKey(home, made);
      return { jsonLine: asJson(taken, made), text: asText(taken, place.title, made) };
    } finally {
      progress.end();
      await running.stop();
      await place.close();
    }
  },
});

/** One line on the terminal at a time. */
function stepsOf(progress: Progress): { next: (step: string) => void; end: () => void } {
  let running: string | undefined;
  const end = (): void => {
    if (running !== undefined) progress.forget(running);
    running = undefined;
  };
  const next = (step: string): void => {
    end();
    running = step;
    progress.running(step);
  };
  return { next, end };
}

/** PostgreSQL alone where nothing runs: a backup can be taken then, too. */
async function postgresOf(home: Home): Promise<{ stop(): Promise<void> }> {
  const supervisor = readRunRecord(home)?.supervisor;
  const settings = readSettings(process.env);
  const embedded = settings.DATABASE_URL === undefined || settings.TEMPORAL_ADDRESS === undefined;
  if (!embedded || (supervisor !== undefined && isAlive(supervisor))) return { stop: async () => {} };
  return await startPostgres({ home: home.path, log: () => {} });
}

function asJson({ manifest, imagesCopied, deleted }: Taken, made: OpeningKey | undefined): object {
  const { name, createdAt, recipient, images } = manifest;
  return {
    backup: { name, createdAt, recipient, bytes: bytesOf(manifest), images: images?.count ?? 0, imagesCopied },
    deleted,
    ...(made === undefined ? {} : { key: made.secret }),
  };
}

function asText({ manifest, imagesCopied, deleted }: Taken, where: string, made: OpeningKey | undefined): string {
  const { name, images, ownTemporal } = manifest;
  const of =
    images === undefined
      ? 'images are in a bucket'
      : `${images.count} blobs of images, ${imagesCopied} of them new to the place`;
  return [
    `The backup ${name} is complete in ${where}: ${megabytes(bytesOf(manifest))}, and ${of}.`,
    ...(ownTemporal ? ['Temporal is your own and not in it; back it up as its documentation says.'] : []),
    ...(deleted.length === 0 ? [] : [`Deleted: ${deleted.join(', ')}.`]),
    ...(made === undefined
      ? [`It is opened by the key of ${manifest.recipient} alone.`]
      : [
          '',
          'The key that opens backups from now on. It is shown this once, and is not on this machine: keep it elsewhere.',
          '',
          `  ${made.secret}`,
          '',
        ]),
    `\`./ballast admin verify --from ${where} --key-file FILE\` proves that it can be restored.`,
  ].join('\n');
}

function bytesOf({ files }: Taken['manifest']): number {
  return Object.values(files).reduce((sum, file) => sum + (file?.bytes ?? 0), 0);
}

function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const adminLink = command({
  summary: 'Prints a link that binds an account to a new identity, as after a change of the provider',
  usage: '(--email E-MAIL | --id ID) [--json]',
  details: `The person who opens the link and signs in takes over the account, with all organizations and roles; the identities that the
account had before open it no more.`,
  options: { ...whom, ...jsonOption },
  run: (given) =>
    withUser('admin link', given, async (database, user, settings) => {
      refuseDisabled(user);
      const link = await effect(database, machine(), (change) =>
        createSignInLink(change, { kind: 'move', userId: user.id }),
      );
      const said = `Give it to ${user.email} and nobody else: who signs in by it has that account.`;
      return await toldLink(database, settings, said, link);
    }),
});

const from = { type: 'string', value: 'PLACE', what: 'Where from: a directory, or s3://BUCKET/PREFIX.' } as const;
const backup = { type: 'string', value: 'NAME', what: 'Which one; the newest if left out.' } as const;
const keyFile = {
  type: 'string',
  value: 'FILE',
  what: 'File with the key that `./ballast admin backup --new-key` printed; - reads it from standard input.',
} as const;

export const adminBackups = command({
  summary: 'Lists the backups of a place, the newest first',
  usage: '--from PLACE [--json]',
  options: { from, ...jsonOption },
  run: ({ from: given }) =>
    inPlace(given, async (place) => {
      const found = await backupsIn(place);
      const lines = found.map(
        (one) => `${one.name}  ${megabytes(bytesOf(one))}  Ballast ${one.version}  ${one.recipient}\n`,
      );
      return {
        jsonLine: {
          backups: found.map((one) => {
            const { name, createdAt, recipient } = one;
            return { name, createdAt, recipient, bytes: bytesOf(one) };
          }),
        },
        text: found.length === 0 ? `There is no complete backup in ${place.title}.` : lines,
      };
    }),
});

export const adminVerify = command({
  summary: 'Proves that a backup can be restored, by restoring it beside this installation',
  usage: '--from PLACE [--backup NAME] [--key-file FILE] [--json]',
  details: `With the key: the databases are restored into a temporary directory and read by a PostgreSQL of its own, each image is read and compared
with its digest. Without the key only the bytes are compared with what was written. Nothing of a running installation is touched.`,
  options: { from, backup, 'key-file': keyFile, ...jsonOption },
  run: async ({ from: given, backup: name, 'key-file': file }) => {
    return await inPlace(given, async (place) => {
      const key = file === undefined ? undefined : await readOpeningKey(file);
      const manifest = await findBackup(place, name, key);
      const began = Date.now();
      const verified = await withSteps((onStep) => verifyBackup({ place, manifest, key, onStep }));
      const seconds = (Date.now() - began) / 1000;
      const rows = Object.entries(verified.rows).map(([what, count]) => `${what} ${count}`);
      const text = verified.restored
        ? `The backup ${manifest.name} was restored beside this installation in ${seconds.toFixed(1)} s: ${[...rows, `blobs of images ${verified.images}`].join(', ')}.`
        : `The backup ${manifest.name} has the bytes that were written. Only --key-file proves that it can be restored.`;
      return { jsonLine: { backup: manifest.name, ...verified, seconds }, text };
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
    ...jsonOption,
  },
  run: async ({ from: given, backup: name, 'key-file': file, 'new-temporal': newTemporal }) => {
    if (file === undefined) throw new UsageError('Give the key of the backup with --key-file FILE; see --help.');
    return await inPlace(given, async (place, settings) => {
      const key: OpeningKey = await readOpeningKey(file);
      const manifest = await findBackup(place, name, key);
      const { images } = await withSteps((onStep) =>
        restoreBackup({ settings, place, manifest, key, newTemporal: newTemporal === true, onStep }),
      );
      const { BALLAST_HOME: home } = settings;
      return {
        jsonLine: { restored: manifest.name, takenAt: manifest.createdAt, home, images },
        text: `The backup ${manifest.name} is restored into ${home}, with ${images} blobs of images. It knows what was so at ${manifest.createdAt}.
Start it: npm start. Volumes of applications are not in it: on a new machine they begin empty, so put their data back before.`,
      };
    });
  },
});

async function inPlace(
  given: string | undefined,
  work: (place: BackupStore, settings: Settings) => Promise<Outcome>,
): Promise<Outcome> {
  if (given === undefined)
    throw new UsageError('Say where from, with --from DIRECTORY or --from s3://BUCKET/PREFIX; see --help.');
  const settings = readSettings(process.env);
  const place = openPlace(given, settings);
  try {
    return await work(place, settings);
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
