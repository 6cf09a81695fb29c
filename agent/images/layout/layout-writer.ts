import { createHash, randomBytes } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';

export interface Blob {
  mediaType: string;
  digest: string;
  size: number;
}

const layerType = 'application/vnd.oci.image.layer.v1.tar';

/** Writes an OCI image layout: blobs first, and last the index that makes them an image. */
export class LayoutWriter {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async in(directory: string): Promise<LayoutWriter> {
    await mkdir(join(directory, 'blobs/sha256'), { recursive: true });
    return new LayoutWriter(directory);
  }

  async json(mediaType: string, value: object): Promise<Blob> {
    const bytes = Buffer.from(JSON.stringify(value));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    await writeFile(this.#path(digest), bytes);
    return { mediaType, digest, size: bytes.length };
  }

  /** As it is: unpacking would take longer than copying on the machine that it is for. */
  async layer(archive: Pack | Readable, signal?: AbortSignal): Promise<Blob> {
    const draft = join(this.directory, `.draft-${randomBytes(6).toString('hex')}`);
    const hash = createHash('sha256');
    let size = 0;
    const measured = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        size += chunk.length;
        done(null, chunk);
      },
    });
    try {
      await pipeline(archive, measured, createWriteStream(draft), { signal });
      const digest = `sha256:${hash.digest('hex')}`;
      await rename(draft, this.#path(digest));
      return { mediaType: layerType, digest, size };
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** A layer that was written elsewhere on the same disk, and becomes ours. */
  async adopt(path: string, signal?: AbortSignal): Promise<Blob> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new Error('A layer is not a file.');
      const hash = createHash('sha256');
      await pipeline(file.createReadStream({ autoClose: false }), hash, { signal });
      const digest = `sha256:${hash.digest('hex')}`;
      await rename(path, this.#path(digest));
      return { mediaType: layerType, digest, size: found.size };
    } finally {
      await file.close();
    }
  }

  /** Replaces the layout's index at once: a reader sees either the old one or the new one. */
  async index(manifests: readonly object[]): Promise<void> {
    await writeFile(join(this.directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    const draft = join(this.directory, `.index-${randomBytes(6).toString('hex')}`);
    await writeFile(draft, JSON.stringify({ schemaVersion: 2, manifests }));
    await rename(draft, join(this.directory, 'index.json'));
  }

  #path(digest: string): string {
    return join(this.directory, 'blobs', digest.replace(':', '/'));
  }
}
