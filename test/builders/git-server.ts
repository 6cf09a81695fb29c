import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A file by its content; a link or a submodule by where it leads. */
export type Entry = string | { executable: string } | { link: string } | { submodule: string };

/** Repositories that Git itself serves over HTTP. */
export interface GitServer {
  url: string;
  directory: string;
  /** Requests so far: their methods and addresses, and whether they had a credential. */
  asked: string[];
  /** Commits exactly these files to a branch. Answers the commit. */
  commit(name: string, files: Readonly<Record<string, Entry>>, ref?: string): string;
  git(name: string, ...args: string[]): string;
  close(): Promise<void>;
}

interface Options {
  /** Of repositories whose names begin with `private`. */
  credential?: { username: string; password: string };
  /** An address that everything beneath `/away/` is redirected to. */
  away?: string;
}

export async function gitServer({ credential, away }: Options = {}): Promise<GitServer> {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-git-'));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    asked.push(`${request.method} ${request.url}${authorization === undefined ? '' : ' signed'}`);
    if (request.url?.startsWith('/away/')) {
      response.writeHead(302, { location: `${away}${request.url.slice(5)}` }).end();
      return;
    }
    const wanted = `Basic ${Buffer.from(`${credential?.username}:${credential?.password}`).toString('base64')}`;
    if (request.url?.startsWith('/private') && authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    serve(directory, request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const git = (name: string, ...args: string[]) => run(join(directory, name), args);
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, directory, asked, git },
    commit(name, files, ref = 'refs/heads/main') {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true });
      run(directory, ['init', '--quiet', '--bare', '--initial-branch=main', path]);
      run(
        path,
        ['fast-import', '--quiet', '--force'],
        streamOf(files, ref, run(path, ['for-each-ref', '--format=%(objectname)', ref]).trim()),
      );
      return run(path, ['rev-parse', ref]).trim();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await rm(directory, { recursive: true });
    },
  };
}

function run(cwd: string, args: readonly string[], input = ''): string {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, env, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

let seconds = 1_700_000_000;

/** All names are taken as they are, whatever signs they have. */
function streamOf(files: Readonly<Record<string, Entry>>, ref: string, parent: string): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const lines = Object.entries(files).map(([path, entry]) => {
    const at = `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
    if (typeof entry === 'string') return `M 100644 inline ${at}\n${data(entry)}`;
    if ('executable' in entry) return `M 100755 inline ${at}\n${data(entry.executable)}`;
    if ('link' in entry) return `M 120000 inline ${at}\n${data(entry.link)}`;
    return `M 160000 ${entry.submodule} ${at}\n`;
  });
  seconds += 1;
  const head = `commit ${ref}\ncommitter A <a@example.com> ${seconds} +0000\n${data('Say hello')}`;
  return `${head}${parent === '' ? '' : `from ${parent}\n`}deleteall\n${lines.join('')}\n`;
}

/** As CGI: https://git-scm.com/docs/git-http-backend */
function serve(directory: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://git');
  const {
    'content-type': type = '',
    'content-encoding': encoding = '',
    'git-protocol': protocol = '',
  } = request.headers;
  // The first version of the protocol gives tips of branches and tags alone.
  const isOld = pathname.startsWith('/old/');
  const backend = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      ...{
        PATH: process.env.PATH ?? '',
        GIT_PROJECT_ROOT: directory,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_NOSYSTEM: '1',
      },
      ...{
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
      },
      ...{ CONTENT_TYPE: type, HTTP_CONTENT_ENCODING: encoding, GIT_PROTOCOL: isOld ? '' : String(protocol) },
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => undefined);
  let head: Buffer | undefined = Buffer.alloc(0);
  backend.stdout.on('data', (chunk: Buffer) => {
    if (head === undefined) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const lines = head.subarray(0, end).toString().split('\r\n');
    const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const);
    const status = headers.find(([name]) => name === 'Status')?.[1];
    response.writeHead(
      Number(status?.slice(0, 3) ?? 200),
      Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
    );
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  backend.stdout.on('end', () => response.end());
  response.on('close', () => backend.kill());
}
