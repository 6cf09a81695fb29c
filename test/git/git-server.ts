import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Nothing of the machine's settings, and a fixed clock: the same files are the same commit. */
const environment = {
  ...{ PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com', GIT_AUTHOR_DATE: '2026-01-01T12:00:00Z' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com', GIT_COMMITTER_DATE: '2026-01-01T12:00:00Z' },
};

export interface GitServer {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  /** Beneath it there is a bare repository for each name, such as `team/app.git`. */
  directory: string;
  /** Requests as they came, with what they were authorized by. */
  readonly asked: { path: string; authorization: string | undefined; protocol: string | undefined }[];
  /** A bare repository with the branch `main`, empty until something is committed. Answers its address. */
  create(name: string): Promise<string>;
  /** Commits these files, over those that are there, and answers the commit. */
  commit(name: string, files: Readonly<Record<string, string>>, more?: NewCommit): Promise<string>;
  git(name: string, ...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export interface NewCommit {
  branch?: string;
  message?: string;
}

interface Serving {
  /** `user:password`, without which nothing is answered. */
  credential?: string;
  /** Answers a request in place of git, if it wants to. */
  before?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The oldest version of the protocol alone. */
  firstVersionOnly?: boolean;
}

/** Repositories as a host serves them: git's own program for HTTP, behind a server. */
export async function gitServer({ credential, before, firstVersionOnly = false }: Serving = {}): Promise<GitServer> {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-git-'));
  const asked: GitServer['asked'] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    const protocol = request.headers['git-protocol'];
    asked.push({
      path: request.url ?? '',
      authorization,
      protocol: protocol === undefined ? protocol : String(protocol),
    });
    if (before?.(request, response) === true) return;
    const known = credential === undefined ? undefined : `Basic ${Buffer.from(credential).toString('base64')}`;
    if (authorization !== known && known !== undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    backend(directory, request, response, firstVersionOnly);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const git = async (name: string, ...args: readonly string[]) =>
    (await run('git', ['-C', join(directory, name), ...args], { env: environment })).stdout.trim();
  return {
    ...{ url, directory, asked, git },
    async create(name) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await run('git', ['init', '-q', '--bare', '-b', 'main', join(directory, name)], { env: environment });
      await git(name, 'config', 'http.receivepack', 'false');
      await git(name, 'config', 'uploadpack.allowFilter', 'true');
      return `${url}/${name}`;
    },
    async commit(name, files, { branch = 'main', message = 'A change' } = {}) {
      const tree = mkdtempSync(join(tmpdir(), 'ballast-tree-'));
      try {
        const work = (...args: readonly string[]) => git(name, `--work-tree=${tree}`, ...args);
        const there = await git(name, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`).catch(() => '');
        await work('symbolic-ref', 'HEAD', `refs/heads/${branch}`);
        if (there !== '') await work('checkout', '-q', '-f', branch, '--', '.');
        for (const [path, text] of Object.entries(files)) {
          await mkdir(dirname(join(tree, path)), { recursive: true });
          await writeFile(join(tree, path), text);
        }
        await work('add', '-A', '-f', '.');
        await work('commit', '-q', '--allow-empty', '-m', message);
        const commit = await git(name, 'rev-parse', 'HEAD');
        await git(name, 'symbolic-ref', 'HEAD', 'refs/heads/main');
        return commit;
      } finally {
        rmSync(tree, { recursive: true, force: true });
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** One request of git, by the rules of CGI. */
function backend(directory: string, request: IncomingMessage, response: ServerResponse, firstVersionOnly: boolean) {
  const { pathname, search } = new URL(request.url ?? '/', 'http://git');
  const protocol = firstVersionOnly ? undefined : request.headers['git-protocol'];
  const child = spawn('git', ['http-backend'], {
    env: {
      ...environment,
      ...{ GIT_PROJECT_ROOT: directory, GIT_HTTP_EXPORT_ALL: '1', PATH_INFO: decodeURIComponent(pathname) },
      ...{ QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method ?? 'GET', REMOTE_ADDR: '127.0.0.1' },
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      ...(protocol === undefined ? {} : { GIT_PROTOCOL: String(protocol) }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on('data', (bytes: Buffer) => {
    if (head === undefined) return void response.write(bytes);
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const headers = head.toString('latin1', 0, end).split('\r\n');
    const pairs = headers.map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = Number(pairs.find(([name]) => name.toLowerCase() === 'status')?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(pairs.filter(([name]) => name.toLowerCase() !== 'status')));
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  child.on('close', () => response.end());
  response.on('close', () => child.kill('SIGKILL'));
}
