import { join } from 'node:path';
import type { Settings } from '../domain/settings/settings.ts';
import { writeFileAtomically } from '../machine/files.ts';
import { readHome } from '../runtime/home/home.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { postgresMajor } from '../runtime/supervisor/versions.ts';
import type { OpeningKey } from './backup-key.ts';
import { clearForRestore, finishRestore, noteData, restoredRecord, restoreHomeFiles } from './home-files.ts';
import { readListOfImages, restoreImage } from './images.ts';
import type { BackupFile, Manifest } from './manifest.ts';
import type { BackupStore } from './place.ts';
import { restorePostgresFiles } from './postgres-files.ts';
import { restoreRows } from './rows.ts';
import { readSealed } from './sealed.ts';

export interface Restoring {
  settings: Settings;
  place: BackupStore;
  manifest: Manifest;
  key: OpeningKey;
  /** Whether the Temporal of one's own was set up anew: it has none of the workflows, and its namespace another id. */
  newTemporal: boolean;
  onStep: (step: string) => void;
}

/**
 * Puts a backup into an empty home. Interrupted, it leaves a home that nothing starts, and is run again. Nothing is started here: the
 * first start reads the log of PostgreSQL to its end, and tells the database that it was restored.
 */
export async function restoreBackup(restoring: Restoring): Promise<{ images: number }> {
  const { settings, place, manifest, key, newTemporal, onStep } = restoring;
  const { BALLAST_HOME: path, REGISTRY_DIRECTORY, DATABASE_URL } = settings;
  const { files } = manifest;
  refuseOtherParts(restoring);
  const read = async (file: BackupFile) => await readSealed(place, `${manifest.name}/${file.file}`, key, file);
  clearForRestore(path);
  onStep('the keys are being restored');
  await restoreHomeFiles(await read(files.home), path);
  const forgetNamespace = newTemporal || manifest.ownTemporal !== (settings.TEMPORAL_ADDRESS !== undefined);
  writeFileAtomically(join(path, 'home.json'), restoredRecord(path, { forgetNamespace }));
  const home = readHome(path);
  if (files.postgres !== undefined) {
    onStep('the files of PostgreSQL are being restored');
    await restorePostgresFiles(home, await read(files.postgres), (data) => noteData(path, data));
  }
  let images = 0;
  if (files.images !== undefined) {
    onStep('images are being restored');
    for (const image of await readListOfImages(await read(files.images))) {
      await restoreImage(place, image, key, REGISTRY_DIRECTORY);
      images += 1;
    }
  }
  if (files.rows !== undefined && DATABASE_URL !== undefined) {
    onStep('the rows are being restored');
    await restoreRows(DATABASE_URL, await read(files.rows));
  }
  finishRestore(path, settings, { backup: manifest.name, takenAt: manifest.createdAt });
  return { images };
}

/** Before anything is written. */
function refuseOtherParts({ settings, manifest }: Restoring): void {
  const { name, postgres, ownDatabase, ownTemporal } = manifest;
  const machine = `${process.platform}-${process.arch}`;
  if (postgres !== undefined && (postgres.major !== postgresMajor || postgres.machine !== machine)) {
    throw new Refusal(
      `The backup ${name} has files of PostgreSQL ${postgres.major} on ${postgres.machine}, which this Ballast (PostgreSQL ${postgresMajor}, ${machine}) cannot read; restore it by version ${manifest.version} on such a machine.`,
    );
  }
  if (ownDatabase !== (settings.DATABASE_URL !== undefined)) {
    throw new Refusal(
      ownDatabase
        ? `The backup ${name} is of an installation with a PostgreSQL of its own; set DATABASE_URL to an empty database.`
        : `The backup ${name} is of an installation with the embedded PostgreSQL; unset DATABASE_URL.`,
    );
  }
  if (!ownTemporal && settings.TEMPORAL_ADDRESS !== undefined)
    throw new Refusal(`The backup ${name} has Temporal's own data; unset TEMPORAL_ADDRESS.`);
}
