import { createHash } from 'node:crypto';
import { pipeline, Readable, Transform } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import type { OpeningKey, WritingKey } from './backup-key.ts';
import type { BackupFile } from './manifest.ts';
import type { BackupStore } from './place.ts';

/** Encrypts what comes (age, version 1, so that the program `age` opens it, too) and writes it to the place. */
export async function writeSealed(
  place: BackupStore,
  key: string,
  source: Readable,
  to: WritingKey,
): Promise<BackupFile> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(to.recipient);
  // A failure of the source ends what reads it; met here, too, so that none is left without a listener.
  source.on('error', () => {});
  const sealed = await encrypter.encrypt(webOf(source));
  const counted = counting();
  await place.write(key, joined(Readable.from(sealed, { objectMode: false }), counted));
  return { file: key.split('/').at(-1) ?? '', ...counted.told() };
}

interface Counting extends Transform {
  told(): { bytes: number; sha256: string };
}

function counting(): Counting {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform: (piece: Buffer, _, done) => {
      hash.update(piece);
      bytes += piece.length;
      done(null, piece);
    },
  });
  return Object.assign(stream, { told: () => ({ bytes, sha256: hash.digest('hex') }) });
}

/** What the file holds. Ends with a failure if the place has other bytes than were written, or the key does not open them. */
export async function readSealed(place: BackupStore, key: string, by: OpeningKey, is?: BackupFile): Promise<Readable> {
  const counted = counting();
  const source = joined(await readWhole(place, key), counted);
  const decrypter = new Decrypter();
  decrypter.addIdentity(by.secret);
  const opened = await decrypter.decrypt(webOf(source)).catch((error: unknown) => {
    throw unopened(place, key, error);
  });
  const checked = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* opened;
    } catch (error) {
      throw unopened(place, key, error);
    }
    const fault = is === undefined ? null : difference(place, key, is, counted.told());
    if (fault !== null) throw fault;
  };
  return Readable.from(checked(), { objectMode: false });
}

/** By its iterator: the adapter `Readable.toWeb` throws when pieces arrive while it is being closed. */
function webOf(source: Readable): globalThis.ReadableStream<Uint8Array> {
  return ReadableStream.from(source);
}

/** The second stream, which reads the first one: the failure of either ends both. */
function joined<T extends Transform>(from: Readable, to: T): T {
  pipeline(from, to, () => {});
  return to;
}

/** Compares a file with what was written, without opening it. */
export async function checkFile(place: BackupStore, key: string, is: BackupFile): Promise<void> {
  const counted = counting();
  for await (const _ of joined(await readWhole(place, key), counted));
  const fault = difference(place, key, is, counted.told());
  if (fault !== null) throw fault;
}

async function readWhole(place: BackupStore, key: string): Promise<Readable> {
  const found = await place.read(key);
  if (found === undefined) throw new Refusal(`${key} is missing from ${place.title}: the backup is not complete.`);
  return found;
}

function difference(
  place: BackupStore,
  key: string,
  is: BackupFile,
  told: { bytes: number; sha256: string },
): Error | null {
  if (told.bytes === is.bytes && told.sha256 === is.sha256) return null;
  return new Refusal(`${key} in ${place.title} is not what was written: its ${told.bytes} bytes have another digest.`);
}

/** A place that fails tells of it by itself. */
function unopened(place: BackupStore, key: string, error: unknown): Error {
  if (error instanceof Error && (error.name === 'S3Failed' || error.name === 'Refusal')) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new Refusal(`${key} in ${place.title} is damaged, or is of another key (${said}).`);
}
