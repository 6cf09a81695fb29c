import { keepWritingKey, newOpeningKey, type OpeningKey, readWritingKey } from '../../backup/backup-key.ts';
import { openPlace } from '../../backup/place.ts';
import { type Taken, takeBackup } from '../../backup/take-backup.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { isAlive } from '../../machine/process-identity.ts';
import { startPostgres } from '../../runtime/ground.ts';
import { type Home, readHome } from '../../runtime/home/home.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { readRunRecord } from '../../runtime/supervisor/run-record.ts';
import { command, UsageError } from '../engine/command.ts';
import { Progress } from '../engine/progress.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';

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
    json: { type: 'boolean', what: 'Print JSON.' },
  },
  run: async ({ to, 'new-key': newKey, keep, json }) => {
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
      process.stdout.write(json ? `${JSON.stringify(asJson(taken, made))}\n` : `${asText(taken, place.title, made)}\n`);
    } finally {
      progress.end();
      await running.stop();
      await place.close();
    }
  },
});

/** One line on the terminal at a time. */
export function stepsOf(progress: Progress): { next: (step: string) => void; end: () => void } {
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

export function bytesOf({ files }: Taken['manifest']): number {
  return Object.values(files).reduce((sum, file) => sum + (file?.bytes ?? 0), 0);
}

export function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
