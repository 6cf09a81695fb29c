import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { machineNpm } from '../../agent/builders/tools/toolbox.ts';

const mtime = new Date(0);
const tools =
  'sh cat chmod cp dirname echo env id ln ls mkdir mv rm sleep stat test touch true uname tr sed grep sort'.split(' ');

/** By their place in the image. */
interface More {
  programs: Readonly<Record<string, string>>;
  folders: Readonly<Record<string, string>>;
  links: Readonly<Record<string, string>>;
}

/** Node as it runs the tests, and npm. */
export function withNode(): Partial<More> {
  const at = 'usr/local/lib/node_modules/npm';
  const npm = machineNpm();
  if (npm === undefined) throw new Error('This machine has no npm.');
  const links = { 'usr/local/bin/npm': `/${at}/bin/npm-cli.js` };
  return { programs: { 'usr/local/bin/node': process.execPath }, folders: { [at]: npm }, links };
}

/**
 * Puts an image into an engine as if it had been pulled: a shell and what it calls, taken from this machine, with their
 * libraries. No registry of images is reached by tests, and a system of its own would take a minute to make.
 */
export async function importBase(socket: string, name: string, more: Partial<More> = {}): Promise<void> {
  const archive = pack();
  void fill(archive, { programs: {}, folders: {}, links: {}, ...more }).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  const [repo = '', tag = 'latest'] = name.split(':');
  const changes = encodeURIComponent('ENV PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin');
  const path = `/images/create?fromSrc=-&repo=${repo}&tag=${tag}&changes=${changes}`;
  const asked = request({ socketPath: socket, method: 'POST', path, headers: { host: 'docker' } });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(archive, { objectMode: false }), asked);
  const said = await text((await answered)[0]);
  if (!said.includes('sha256:')) throw new Error(`The engine does not take the image ${name}: ${said}`);
}

async function fill(archive: Pack, { programs, folders, links }: More): Promise<void> {
  const files = new Map<string, string>();
  const usual = tools.map((name) => [`usr/bin/${name}`, programOf(name)] as const);
  for (const [to, from] of [...usual, ...Object.entries(programs)]) {
    files.set(to, realpathSync(from));
    const { stdout } = spawnSync('ldd', [from], { encoding: 'utf8' });
    for (const line of stdout.split('\n')) {
      const library = /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1];
      if (library !== undefined) files.set(library.slice(1), realpathSync(library));
    }
  }
  archive.entry({ name: 'bin', type: 'symlink', linkname: 'usr/bin', mtime });
  archive.entry({ name: 'tmp', type: 'directory', mode: 0o1777, mtime });
  archive.entry({ name: 'etc/passwd', mtime }, 'root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/:/bin/sh\n');
  for (const [to, from] of files) await file(archive, from, to, 0o755);
  for (const [to, from] of Object.entries(folders)) await folder(archive, from, to);
  for (const [name, linkname] of Object.entries(links)) archive.entry({ name, type: 'symlink', linkname, mtime });
}

function programOf(name: string): string {
  const found = ['/usr/bin', '/bin'].map((directory) => join(directory, name)).find(existsSync);
  if (found === undefined) throw new Error(`This machine has no program ${name}.`);
  return found;
}

async function folder(archive: Pack, from: string, to: string): Promise<void> {
  archive.entry({ name: to, type: 'directory', mode: 0o755, mtime });
  for (const name of readdirSync(from)) {
    const [path, inside] = [join(from, name), posix.join(to, name)];
    const found = lstatSync(path);
    if (found.isDirectory()) await folder(archive, path, inside);
    else if (found.isSymbolicLink())
      archive.entry({ name: inside, type: 'symlink', linkname: readlinkSync(path), mtime });
    else if (found.isFile()) await file(archive, path, inside, found.mode & 0o777);
  }
}

async function file(archive: Pack, from: string, name: string, mode: number): Promise<void> {
  await pipeline(createReadStream(from), archive.entry({ name, mode, mtime, size: statSync(from).size }));
}
