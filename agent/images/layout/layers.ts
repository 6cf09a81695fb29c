import { execFileSync } from 'node:child_process';
import { createReadStream, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
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

export interface FolderChoice {
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
