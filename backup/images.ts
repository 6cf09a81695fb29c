import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { errorCode, Refusal } from '../runtime/supervisor/refusal.ts';
import type { OpeningKey, WritingKey } from './backup-key.ts';
import type { BackupStore } from './place.ts';
import { readSealed, writeSealed } from './sealed.ts';

/** A blob of the registry: `blobs/sha256/ab/abcd…` beneath its directory. It never changes, so each place has it once. */
export interface Image {
  path: string;
  bytes: number;
}

const form = /^blobs\/(sha256|sha512)\/[0-9a-f]{2}\/([0-9a-f]{64,128})$/;

/** Those whose keys differ have copies of their own: neither opens the other's. */
function keyOf({ path }: Image, { recipient }: WritingKey): string {
  return `images/${recipient.slice(4, 20)}/${path.slice('blobs/'.length)}.age`;
}

/** Blobs that are in the registry's directory now. */
export function imagesIn(directory: string): Image[] {
  const blobs = join(directory, 'blobs');
  if (!existsSync(blobs)) return [];
  return readdirSync(blobs, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = relative(directory, join(entry.parentPath, entry.name));
    if (!entry.isFile() || !form.test(path)) return [];
    try {
      return [{ path, bytes: statSync(join(directory, path)).size }];
    } catch {
      return [];
    }
  });
}

/** Copies those that the place does not have, and answers what is there then. One that was deleted meanwhile is left out. */
export async function copyImages(place: BackupStore, directory: string, key: WritingKey, known: Map<string, Image>) {
  const there = new Set(known.size === 0 ? await place.list('images/') : []);
  let copied = 0;
  for (const image of imagesIn(directory)) {
    if (known.has(image.path)) continue;
    const target = keyOf(image, key);
    if (!there.has(target)) {
      // Once it is open, it can be read to its end.
      const file = await open(join(directory, image.path)).catch(absent);
      if (file === undefined) continue;
      await writeSealed(place, target, file.createReadStream(), key);
      copied += 1;
    }
    known.set(image.path, image);
  }
  return copied;
}

function absent(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

export function listOfImages(images: Iterable<Image>): Readable {
  const lines = [...images].sort((a, b) => (a.path < b.path ? -1 : 1)).map(({ path, bytes }) => `${bytes} ${path}\n`);
  return Readable.from([Buffer.from(lines.join(''))]);
}

export async function readListOfImages(source: Readable): Promise<Image[]> {
  return (await text(source)).split('\n').flatMap((line) => {
    const [, bytes = '', path = ''] = /^(\d+) (\S+)$/.exec(line) ?? [];
    if (line === '') return [];
    if (!form.test(path)) throw new Refusal('The list of images in the backup is damaged; take another backup.');
    return [{ path, bytes: Number(bytes) }];
  });
}

/** Reads an image out of the place and sees whether it is the one of its digest. */
export async function checkImage(place: BackupStore, image: Image, key: OpeningKey): Promise<void> {
  for await (const _ of await checkedImage(place, image, key));
}

export async function restoreImage(
  place: BackupStore,
  image: Image,
  key: OpeningKey,
  directory: string,
): Promise<void> {
  const path = join(directory, image.path);
  if (existsSync(path)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.part`;
  rmSync(draft, { force: true });
  await pipeline(await checkedImage(place, image, key), createWriteStream(draft, { flags: 'wx', mode: 0o600 }));
  renameSync(draft, path);
}

async function checkedImage(place: BackupStore, image: Image, key: OpeningKey): Promise<Readable> {
  const [, algorithm = '', digits] = form.exec(image.path) ?? [];
  const at = keyOf(image, key);
  const hash = createHash(algorithm);
  const source = await readSealed(place, at, key);
  return Readable.from(
    (async function* () {
      for await (const piece of source) {
        hash.update(piece);
        yield piece;
      }
      if (hash.digest('hex') !== digits) throw new Refusal(`${at} in ${place.title} is not the image of its digest.`);
    })(),
    { objectMode: false },
  );
}

/** Deletes copies that none of these lists names; those of other keys stay. */
export async function deleteOtherImages(place: BackupStore, key: WritingKey, named: Iterable<Image>): Promise<number> {
  const kept = new Set([...named].map((image) => keyOf(image, key)));
  const own = await place.list(`images/${key.recipient.slice(4, 20)}/`);
  const others = own.filter((at) => !kept.has(at));
  for (const at of others) await place.delete(at);
  return others.length;
}
