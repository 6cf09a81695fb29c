import { text } from 'node:stream/consumers';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import type { WritingKey } from './backup-key.ts';
import { type Manifest, readManifest } from './manifest.ts';
import type { BackupStore } from './place.ts';

/** Names begin with their time, so the newest is the last by name. */
const form = /^(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z-[0-9a-f]{6})\/backup\.json$/;

/** The complete backups of a place, the newest first. One that the key does not prove is left out; without a key all are told. */
export async function backupsIn(place: BackupStore, key?: WritingKey): Promise<Manifest[]> {
  const found: Manifest[] = [];
  for (const name of (await namesIn(place)).reverse()) {
    try {
      found.push(await readBackup(place, name, key));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return found;
}

async function namesIn(place: BackupStore): Promise<string[]> {
  return (await place.list('')).flatMap((key) => form.exec(key)?.[1] ?? []);
}

async function readBackup(place: BackupStore, name: string, key?: WritingKey): Promise<Manifest> {
  const stream = await place.read(`${name}/backup.json`);
  if (stream === undefined) throw new Refusal(`There is no backup ${name} in ${place.title}.`);
  const manifest = readManifest(await text(stream), `The backup ${name} in ${place.title}`, key);
  if (manifest.name === name) return manifest;
  throw new Refusal(`The backup ${name} in ${place.title} is the copy of ${manifest.name}, and is not used.`);
}

/** The one of that name, or the newest one. */
export async function findBackup(place: BackupStore, name: string | undefined, key?: WritingKey): Promise<Manifest> {
  const names = await namesIn(place);
  const wanted = name ?? names.at(-1);
  if (wanted === undefined) throw new Refusal(`There is no complete backup in ${place.title}.`);
  if (!names.includes(wanted)) {
    throw new Refusal(
      `There is no complete backup ${wanted} in ${place.title}; \`./ballast admin backups --from …\` lists those that there are.`,
    );
  }
  return await readBackup(place, wanted, key);
}
