import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  constants,
  createReadStream,
  createWriteStream,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { Refusal } from '../../program/refusal.ts';
import { shownPath } from '../tree.ts';

/** The same files make the same layer, whenever they were written. */
const mtime = new Date(0);

/** Node.js as it runs here, with the libraries that it needs where there is no system around it. */
export function nodeFiles(): { from: string; to: string }[] {
  return [{ from: process.execPath, to: '/usr/local/bin/node' }, ...libraries(process.execPath)];
}

export function nodeLayer(files = nodeFiles()): Pack {
  const archive = pack();
  void filled(archive, async () => {
    const known = new Set<string>();
    archive.entry({ name: 'tmp', type: 'directory', mode: 0o1777, mtime });
    for (const { from, to } of files) {
      directoriesOf(archive, posix.dirname(to), known);
      await file(archive, from, to.slice(1), 0o755);
    }
  });
  return archive;
}

/** A file or folder of this machine, and its place in the image. */
export interface Placed {
  from: string;
  /** Without a slash in front. */
  to: string;
}

interface FolderChoice {
  skips(path: string): boolean;
  /** The target of a link in the image, given where it leads on this machine; throws if it may not be there. */
  link?(path: string, target: string): string;
  /** Told of each file before it is packed; throws if it may not be there. */
  file?(path: string, bytes: number): void;
  /** Told of what is neither a file nor a folder nor a link, and left out. */
  other?(path: string): void;
}

/** The files to stand beneath `/app`: links as they are unless `link` says else, times and owners left out, sorted by their bytes. */
export function folderLayer(placed: readonly Placed[], choice: FolderChoice): Pack {
  const archive = pack();
  void filled(archive, async () => {
    const known = new Set<string>();
    directoriesOf(archive, '/app', known);
    for (const { from, to } of placed) {
      directoriesOf(archive, posix.dirname(`/${to}`), known);
      await put(archive, from, to, choice, known);
    }
  });
  return archive;
}

async function put(archive: Pack, path: string, name: string, choice: FolderChoice, known: Set<string>): Promise<void> {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) {
    const target = readlinkSync(path);
    archive.entry({ name, type: 'symlink', linkname: choice.link?.(path, target) ?? target, mtime });
  } else if (found.isDirectory()) {
    directoriesOf(archive, `/${name}`, known);
    for (const bytes of readdirSync(path, { encoding: 'buffer' }).sort(Buffer.compare)) {
      const entry = bytes.toString();
      const inside = join(path, entry);
      if (!Buffer.from(entry).equals(bytes))
        throw new Refusal(`${shownPath([`${name}/${entry}`])} has a name that is not UTF-8: rename it.`);
      if (!choice.skips(inside)) await put(archive, inside, `${name}/${entry}`, choice, known);
    }
  } else if (found.isFile()) {
    choice.file?.(path, found.size);
    await file(archive, path, name, (found.mode & 0o111) === 0 ? 0o644 : 0o755);
  } else choice.other?.(path);
}

/** `ldd` prints `name => path (address)`, and the loader as a path alone. */
function libraries(program: string): { from: string; to: string }[] {
  const lines = execFileSync('ldd', [program], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const to = /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1];
    return to === undefined ? [] : [{ from: realpathSync(to), to }];
  });
}

function directoriesOf(archive: Pack, path: string, known: Set<string>): void {
  if (path === '/' || known.has(path)) return;
  directoriesOf(archive, posix.dirname(path), known);
  known.add(path);
  archive.entry({ name: path.slice(1), type: 'directory', mode: 0o755, mtime });
}

async function file(archive: Pack, from: string, name: string, mode: number): Promise<void> {
  await pipeline(createReadStream(from), archive.entry({ name, mode, mtime, size: statSync(from).size }));
}

async function filled(archive: Pack, fill: () => Promise<void>): Promise<void> {
  try {
    await fill();
    archive.finalize();
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

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
