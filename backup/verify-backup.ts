import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../runtime/ground.ts';
import { readHome } from '../runtime/home/home.ts';
import { databases } from '../runtime/postgres/postgres-address.ts';
import { dataDirectory } from '../runtime/postgres/postgres-data.ts';
import { postgresUser } from '../runtime/postgres/postgres-user.ts';
import type { OpeningKey } from './backup-key.ts';
import { restoredRecord, restoreHomeFiles } from './home-files.ts';
import { checkImage, readListOfImages } from './images.ts';
import type { Manifest } from './manifest.ts';
import type { BackupStore } from './place.ts';
import { restorePostgresFiles } from './postgres-files.ts';
import { restoreRows } from './rows.ts';
import { checkFile, readSealed } from './sealed.ts';

export interface Verifying {
  place: BackupStore;
  manifest: Manifest;
  /** Without it only the bytes are compared with what was written. */
  key: OpeningKey | undefined;
  onStep: (step: string) => void;
}

export interface Verified {
  /** Whether the databases were restored and read, beside this installation. */
  restored: boolean;
  rows: Record<string, number>;
  images: number;
}

/** With the key: what was written can be restored, since it was. A PostgreSQL of its own reads it, and is deleted again. */
export async function verifyBackup({ place, manifest, key, onStep }: Verifying): Promise<Verified> {
  const at = (file: string): string => `${manifest.name}/${file}`;
  if (key === undefined) {
    for (const file of Object.values(manifest.files).filter((one) => one !== undefined)) {
      onStep(`${file.file} is being read`);
      await checkFile(place, at(file.file), file);
    }
    return { restored: false, rows: {}, images: manifest.images?.count ?? 0 };
  }
  const { images } = manifest.files;
  let checked = 0;
  if (images !== undefined) {
    onStep('images are being read');
    for (const image of await readListOfImages(await readSealed(place, at(images.file), key, images))) {
      await checkImage(place, image, key);
      checked += 1;
    }
  }
  onStep('the databases are being restored beside this installation');
  const rows = await restoredBeside(place, manifest, key);
  return { restored: true, rows, images: checked };
}

/** Rows that are counted, and where. */
const counted = [
  ['organizations', databases.ballast, 'select count(*) from organization'],
  ['projects', databases.ballast, 'select count(*) from project'],
  ['services', databases.ballast, 'select count(*) from service'],
  ['releases', databases.ballast, 'select count(*) from release'],
  ['deployments', databases.ballast, 'select count(*) from deployment'],
  ['workflows', databases.temporal, 'select count(*) from current_executions'],
] as const;

async function restoredBeside(
  place: BackupStore,
  manifest: Manifest,
  key: OpeningKey,
): Promise<Record<string, number>> {
  const path = mkdtempSync(join(tmpdir(), 'ballast-verify-'));
  const { files, name } = manifest;
  let data: string | undefined;
  try {
    mkdirSync(join(path, 'keys'), { mode: 0o700 });
    await restoreHomeFiles(await readSealed(place, `${name}/${files.home.file}`, key, files.home), path);
    // Of another installation: where this one runs, its data stay what they are.
    const record = JSON.parse(restoredRecord(path, { forgetNamespace: true }));
    writeFileSync(join(path, 'home.json'), JSON.stringify({ ...record, installation: randomUUID() }), { mode: 0o600 });
    rmSync(join(path, 'home.json.restored'));
    const home = readHome(path);
    data = dataDirectory(home, postgresUser());
    if (files.postgres !== undefined) {
      const source = await readSealed(place, `${name}/${files.postgres.file}`, key, files.postgres);
      await restorePostgresFiles(home, source, () => {});
    } else forgetData(path);
    const postgres = await startPostgres({ home: path, log: () => {} });
    try {
      let urlOfRows = urlTo(postgres.adminUrl, databases.ballast);
      if (files.rows !== undefined) {
        urlOfRows = urlTo(postgres.adminUrl, 'verified_rows');
        await query(postgres.adminUrl, 'create database verified_rows');
        await restoreRows(urlOfRows, await readSealed(place, `${name}/${files.rows.file}`, key, files.rows));
      }
      const rows: Record<string, number> = {};
      for (const [what, database, text] of counted) {
        if (database === databases.temporal && manifest.ownTemporal) continue;
        const url = database === databases.ballast ? urlOfRows : urlTo(postgres.adminUrl, database);
        rows[what] = await query(url, text);
      }
      return rows;
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(path, { recursive: true, force: true });
    if (data !== undefined) rmSync(postgresUser() ? join(data, '..') : data, { recursive: true, force: true });
  }
}

/** A home whose backup has no files of PostgreSQL gets new ones, with passwords of its own. */
function forgetData(path: string): void {
  const { postgresMajor: _, ...record } = JSON.parse(readFileSync(join(path, 'home.json'), 'utf8'));
  writeFileSync(join(path, 'home.json'), JSON.stringify(record));
  rmSync(join(path, 'keys', 'postgres-passwords.json'), { force: true });
}

function urlTo(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function query(url: string, text: string): Promise<number> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return Number(rows[0]?.[0] ?? 0);
  } finally {
    await client.end();
  }
}
