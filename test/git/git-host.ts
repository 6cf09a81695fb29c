import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * A program that runs git for one worker of the tests, which asks it over a socket of its own. The worker is large, and to start
 * a program costs a process the more the larger it is.
 */

/** Arguments of git, in JSON and percent-encoded; without them a request is one of git's own. */
export const argumentsHeader = 'run-arguments';
/** Of the repositories that are served. */
export const directoryHeader = 'served-directory';

/** Nothing of the machine's settings. */
const environment = {
  ...{ PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com', GIT_AUTHOR_DATE: '2026-01-01T12:00:00Z' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com', GIT_COMMITTER_DATE: '2026-01-01T12:00:00Z' },
};

/** Runs git with these arguments and what is sent as its input; answers what it printed, or as 422 what it complained of. */
function run(args: readonly string[], request: IncomingMessage, response: ServerResponse): void {
  const child = spawn('git', args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  const said: Record<'out' | 'err', Buffer[]> = { out: [], err: [] };
  child.stdout.on('data', (bytes: Buffer) => said.out.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => said.err.push(bytes));
  // A program that has ended reads no more; its status says why.
  child.stdin.on('error', () => request.resume());
  request.pipe(child.stdin);
  child.on('error', (error) => said.err.push(Buffer.from(error.message)));
  child.on('close', (status) =>
    response.writeHead(status === 0 ? 200 : 422).end(Buffer.concat(status === 0 ? said.out : said.err)),
  );
}

/** Answers one request with git's own program for HTTP, by the rules of CGI: https://git-scm.com/docs/git-http-backend */
function answerByGit(directory: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://git');
  const protocol = request.headers['git-protocol'];
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

if (import.meta.main) {
  const server = createServer((request, response) => {
    const { [argumentsHeader]: args, [directoryHeader]: directory } = request.headers;
    if (typeof args === 'string') run(JSON.parse(decodeURIComponent(args)), request, response);
    else answerByGit(String(directory), request, response);
  });
  server.listen(process.argv[2], () => process.stdout.write('ready\n'));
  // The pipe ends with the worker, however that ends.
  process.stdin.resume().on('close', () => process.exit());
}
