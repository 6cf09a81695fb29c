import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Nothing of the machine's settings. */
const environment = {
  ...{ PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com', GIT_AUTHOR_DATE: '2026-01-01T12:00:00Z' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com', GIT_COMMITTER_DATE: '2026-01-01T12:00:00Z' },
};

/** Runs git in a repository and answers its output, trimmed. The input may come in pieces. */
export async function runGit(
  directory: string,
  args: readonly string[],
  input: string | Iterable<string | Buffer> = '',
): Promise<string> {
  const child = spawn('git', ['-C', directory, ...args], { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  // A program that has ended reads no more; its status says why.
  await pipeline(typeof input === 'string' ? [input] : input, child.stdin).catch(() => undefined);
  const status = await ended;
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${said.err}`);
  return said.out.trim();
}

/** Answers one request with git's own program for HTTP, by the rules of CGI: https://git-scm.com/docs/git-http-backend */
export function answerByGit(
  directory: string,
  request: IncomingMessage,
  response: ServerResponse,
  firstVersionOnly: boolean,
): void {
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
    if (head === undefined) {
      // As fast as it is read, so that no large repository is held in memory.
      if (!response.write(bytes)) {
        child.stdout.pause();
        response.once('drain', () => child.stdout.resume());
      }
      return;
    }
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
