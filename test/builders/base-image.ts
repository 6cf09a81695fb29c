import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

const mtime = new Date(0);
const tools =
  'sh cat chmod cp dirname echo env id ln ls mkdir mv rm sleep stat test touch true uname tr sed grep sort'.split(' ');

/**
 * Puts an image into an engine as if it had been pulled: a shell and what it calls, taken from this machine, with their
 * libraries. No registry of images is reached by tests, and a system of its own would take a minute to make.
 */
export async function importBase(
  socket: string,
  name: string,
  more: { programs?: string[]; folders?: Record<string, string> } = {},
) {
  const archive = pack();
  void fill(archive, [...tools, ...(more.programs ?? [])], more.folders ?? {}).then(
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

async function fill(
  archive: Pack,
  programs: readonly string[],
  folders: Readonly<Record<string, string>>,
): Promise<void> {
  const files = new Map<string, string>();
  for (const name of programs) {
    const found = execFileSync('/bin/sh', ['-c', `command -v "$1"`, 'sh', name], { encoding: 'utf8' }).trim();
    const from = found.startsWith('/') ? found : `/usr/bin/${name}`;
    files.set(`usr/bin/${name}`, realpathSync(from));
    const listed = execFileSync('/bin/sh', ['-c', 'ldd "$1" || true', 'sh', from], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for (const line of listed.split('\n')) {
      const library = /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1];
      if (library !== undefined) files.set(library.slice(1).replace(/^(lib|lib64)\//, '$1/'), realpathSync(library));
    }
  }
  archive.entry({ name: 'bin', type: 'symlink', linkname: 'usr/bin', mtime });
  archive.entry({ name: 'tmp', type: 'directory', mode: 0o1777, mtime });
  archive.entry({ name: 'etc/passwd', mtime }, 'root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/:/bin/sh\n');
  for (const [to, from] of files) await file(archive, from, to, 0o755);
  for (const [to, from] of Object.entries(folders)) await folder(archive, from, to);
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
