import { execFileSync } from 'node:child_process';
import { createReadStream, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

/** The same files make the same layer, whenever they were written. */
const mtime = new Date(0);

/** Node.js as it runs here, with the libraries that it needs where there is no system around it. */
export function nodeLayer(): Pack {
  const archive = pack();
  const files = [{ from: process.execPath, to: '/usr/local/bin/node' }, ...libraries(process.execPath)];
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

/** A folder beneath `/app`, without what `skips` says: links as they are, times and owners left out. */
export function folderLayer(folder: string, skips: (path: string) => boolean): Pack {
  const archive = pack();
  void filled(archive, async () => {
    archive.entry({ name: 'app', type: 'directory', mode: 0o755, mtime });
    await walk(archive, folder, 'app', skips);
  });
  return archive;
}

async function walk(archive: Pack, folder: string, name: string, skips: (path: string) => boolean): Promise<void> {
  for (const entry of readdirSync(folder).sort()) {
    const [path, inside] = [join(folder, entry), `${name}/${entry}`];
    if (skips(path)) continue;
    const found = lstatSync(path);
    if (found.isSymbolicLink()) {
      archive.entry({ name: inside, type: 'symlink', linkname: readlinkSync(path), mtime });
    } else if (found.isDirectory()) {
      archive.entry({ name: inside, type: 'directory', mode: 0o755, mtime });
      await walk(archive, path, inside, skips);
    } else if (found.isFile()) {
      await file(archive, path, inside, (found.mode & 0o111) === 0 ? 0o644 : 0o755);
    }
  }
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
