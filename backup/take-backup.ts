import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Settings } from '../domain/settings/settings.ts';
import { programVersion } from '../domain/version.ts';
import type { Home } from '../runtime/home/home.ts';
import { tryLock } from '../runtime/home/lock.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { postgresMajor } from '../runtime/supervisor/versions.ts';
import type { WritingKey } from './backup-key.ts';
import { backupsIn } from './backups-in.ts';
import { homeArchive, readHomeFiles, sameKeys } from './home-files.ts';
import { copyImages, deleteOtherImages, type Image, listOfImages, readListOfImages } from './images.ts';
import { type BackupFile, type Manifest, writeManifest } from './manifest.ts';
import type { BackupStore } from './place.ts';
import { postgresFiles } from './postgres-files.ts';
import { rowsOf } from './rows.ts';
import { writeSealed } from './sealed.ts';

export interface Taking {
  home: Home;
  settings: Settings;
  place: BackupStore;
  key: WritingKey;
  /** How many backups of this installation's key stay in the place; undefined: all. */
  keep: number | undefined;
  /** The step that runs, and what came of the one before. */
  onStep: (step: string) => void;
}

export interface Taken {
  manifest: Manifest;
  /** Of the images: those that the place did not have yet. */
  imagesCopied: number;
  /** Names of older backups that were deleted. */
  deleted: string[];
}

/** Rotating the keys at the same time is rare, and ends. */
const attempts = 3;

/**
 * Takes a backup while everything runs. In this order: images, Temporal, rows, images once more, and the keys around them.
 * Blobs without rows do no harm, rows without blobs would; Temporal that is older than the rows is what the reconciler mends, and
 * where both are embedded they are of one moment.
 */
export async function takeBackup(taking: Taking): Promise<Taken> {
  const { home, place, key, onStep } = taking;
  const lock = tryLock(home.file('run', 'backup-lock'));
  if (lock === undefined) throw new Refusal('Another backup of this installation is being taken; wait for it to end.');
  try {
    for (let attempt = 1; ; attempt += 1) {
      const before = readHomeFiles(home, taking.settings);
      const { manifest, imagesCopied } = await copyEverything(taking);
      const after = readHomeFiles(home, taking.settings);
      if (!sameKeys(before, after)) {
        await deleteFiles(place, manifest.name);
        if (attempt === attempts) throw new Refusal('The keys were rotated again and again meanwhile; try later.');
        continue;
      }
      onStep('the keys are being copied');
      manifest.files.home = await writeSealed(place, `${manifest.name}/home.tar.zst.age`, homeArchive(after), key);
      await place.write(`${manifest.name}/backup.json`, Readable.from([Buffer.from(writeManifest(manifest, key))]));
      onStep('older backups are being deleted');
      return { manifest, imagesCopied, deleted: await deleteOlder(taking) };
    }
  } finally {
    lock.release();
  }
}

const notYet: BackupFile = { file: 'home.tar.zst.age', bytes: 0, sha256: '0'.repeat(64) };

async function copyEverything({ home, settings, place, key, onStep }: Taking) {
  const { DATABASE_URL, TEMPORAL_ADDRESS, REGISTRY_S3_BUCKET, REGISTRY_DIRECTORY } = settings;
  const now = new Date();
  const name = `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z-${randomBytes(3).toString('hex')}`;
  const manifest: Manifest = {
    ...{ format: 1, name, createdAt: now.toISOString(), version: programVersion, recipient: key.recipient },
    ...{ ownDatabase: DATABASE_URL !== undefined, ownTemporal: TEMPORAL_ADDRESS !== undefined },
    files: { home: notYet },
  };
  const inDirectory = REGISTRY_S3_BUCKET === undefined;
  const images = new Map<string, Image>();
  let imagesCopied = 0;
  const copy = async (): Promise<void> => {
    if (inDirectory) imagesCopied += await copyImages(place, REGISTRY_DIRECTORY, key, images);
  };
  try {
    onStep('images are being copied');
    await copy();
    if (DATABASE_URL === undefined || TEMPORAL_ADDRESS === undefined) {
      onStep('the files of PostgreSQL are being copied');
      const at = `${name}/postgres.tar.zst.age`;
      manifest.files.postgres = await writeSealed(place, at, postgresFiles(home), key);
      manifest.postgres = { major: postgresMajor, machine: `${process.platform}-${process.arch}` };
    }
    if (DATABASE_URL !== undefined) {
      onStep('the rows are being copied');
      manifest.files.rows = await writeSealed(place, `${name}/rows.tar.zst.age`, rowsOf(DATABASE_URL), key);
    }
    onStep('images that came meanwhile are being copied');
    await copy();
    if (inDirectory) {
      const all = [...images.values()];
      manifest.files.images = await writeSealed(place, `${name}/images.age`, listOfImages(all), key);
      // Not encrypted: who deletes older backups has no key that opens them. Digests alone tell nothing of what is in them.
      await place.write(`${name}/images.txt`, listOfImages(all));
      manifest.images = { count: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) };
    }
    return { manifest, imagesCopied };
  } catch (error) {
    await deleteFiles(place, name).catch(() => {});
    throw error;
  }
}

async function deleteFiles(place: BackupStore, name: string): Promise<void> {
  // The manifest first: what has none is no backup, whatever else is left of it.
  await place.delete(`${name}/backup.json`);
  for (const at of await place.list(`${name}/`)) await place.delete(at);
}

/** Those of this key beyond the newest `keep`, and the images that none of the others names. */
async function deleteOlder({ place, key, keep }: Taking): Promise<string[]> {
  if (keep === undefined) return [];
  const own = (await backupsIn(place, key)).filter(({ recipient }) => recipient === key.recipient);
  const older = own.slice(keep);
  for (const { name } of older) await deleteFiles(place, name);
  const named: Image[] = [];
  for (const { name } of own.slice(0, keep)) {
    const list = await place.read(`${name}/images.txt`);
    if (list !== undefined) named.push(...(await readListOfImages(list)));
  }
  await deleteOtherImages(place, key, named);
  return older.map(({ name }) => name);
}
