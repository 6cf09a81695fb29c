import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitStream, type Entry, type NewCommit } from './commit-stream.ts';
import { answerByGit, runGit } from './git-program.ts';

export type { Entry } from './commit-stream.ts';

export interface GitServer {
  /** `http://127.0.0.1:PORT`, or https. */
  url: string;
  /** Beneath it there is a bare repository for each name, such as `team/app.git`. */
  directory: string;
  /** Requests as they came, with what they were authorized by. */
  readonly asked: { path: string; authorization: string | undefined; protocol: string | undefined }[];
  /** A bare repository with the branch `main`, empty until something is committed. Answers its address. */
  create(name: string): Promise<string>;
  /** Commits these files, over those that are there, and answers the commit. The repository is made where there is none. */
  commit(name: string, files: Readonly<Record<string, Entry>>, more?: NewCommit): Promise<string>;
  /** What `git fast-import` reads, of a repository of any form. */
  fastImport(name: string, stream: Iterable<string | Buffer>): Promise<void>;
  git(name: string, ...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

interface Serving {
  /** `user:password`, without which nothing is answered. */
  credential?: string;
  /** Beginning of the names of those repositories that need the credential; all of them by default. */
  closed?: string;
  /** Answers a request in place of git, if it wants to. */
  before?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The oldest version of the protocol alone. */
  firstVersionOnly?: boolean;
  /** For https: such as `(await authority()).certify('127.0.0.1')` answers. */
  certificate?: { key: string; cert: string };
}

/** Repositories as a host serves them: git's own program for HTTP, behind a server. */
export async function gitServer(serving: Serving = {}): Promise<GitServer> {
  const { credential, closed = '', before, firstVersionOnly = false, certificate } = serving;
  const directory = mkdtempSync(join(tmpdir(), 'ballast-git-'));
  const asked: GitServer['asked'] = [];
  const known = credential === undefined ? undefined : `Basic ${Buffer.from(credential).toString('base64')}`;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { authorization, 'git-protocol': protocol } = request.headers;
    const path = request.url ?? '';
    asked.push({ path, authorization, protocol: protocol === undefined ? undefined : String(protocol) });
    if (before?.(request, response) === true) return;
    if (known !== undefined && authorization !== known && path.startsWith(`/${closed}`))
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    answerByGit(directory, request, response, firstVersionOnly);
  };
  const server = certificate === undefined ? createServer(answer) : createHttpsServer(certificate, answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const scheme = certificate === undefined ? 'http' : 'https';
  const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const git = (name: string, ...args: readonly string[]) => runGit(join(directory, name), args);
  const create = async (name: string) => {
    empty ??= emptyRepository();
    const template = await empty;
    const repository = join(directory, name);
    // In one go: of two that ask at once, the later one must not write over what the first has committed.
    if (!existsSync(repository)) cpSync(template, repository, { recursive: true });
    return `${url}/${name}`;
  };
  return {
    ...{ url, directory, asked, git, create },
    async commit(name, files, more = {}) {
      await create(name);
      const ref = more.ref ?? `refs/heads/${more.branch ?? 'main'}`;
      const repository = join(directory, name);
      const file = join(repository, ref);
      const tip = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
      return await runGit(repository, ['fast-import', '--quiet', '--force'], commitStream(files, ref, tip, more));
    },
    async fastImport(name, stream) {
      await create(name);
      await runGit(join(directory, name), ['fast-import', '--quiet', '--force'], stream);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((over) => server.close(over));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Made by git once a process and copied: a worker of the tests is large, and each program that it starts costs it dearly. */
let empty: Promise<string> | undefined;

async function emptyRepository(): Promise<string> {
  const repository = mkdtempSync(join(tmpdir(), 'ballast-git-empty-'));
  await runGit(repository, ['init', '-q', '--bare', '--template=', '-b', 'main']);
  await runGit(repository, ['config', 'http.receivepack', 'false']);
  await runGit(repository, ['config', 'uploadpack.allowFilter', 'true']);
  return repository;
}

/** For `before`: whatever lies beneath the path is redirected to the same beneath the address. */
export function redirecting(path: string, to: () => string) {
  return ({ url = '' }: IncomingMessage, response: ServerResponse): boolean => {
    if (!url.startsWith(path)) return false;
    response.writeHead(302, { location: `${to()}${url.slice(path.length)}` }).end();
    return true;
  };
}
