import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request as requestOf,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { argumentsHeader, directoryHeader } from './git-host.ts';

/** Runs git in a repository and answers its output, trimmed. The input may come in pieces. */
export async function runGit(
  directory: string,
  args: readonly string[],
  input: string | Iterable<string | Buffer> = '',
): Promise<string> {
  const encoded = encodeURIComponent(JSON.stringify(['-C', directory, ...args]));
  const asking = await ask({ method: 'POST', headers: { [argumentsHeader]: encoded } });
  const answering = once(asking, 'response') as Promise<[IncomingMessage]>;
  await Promise.all([answering, pipeline(typeof input === 'string' ? [input] : input, asking)]);
  const [answer] = await answering;
  const said = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`git ${args.join(' ')}: ${said}`);
  return said.trim();
}

/** Answers one request with git's own program for HTTP. */
export async function answerByGit(
  directory: string,
  request: IncomingMessage,
  response: ServerResponse,
  firstVersionOnly: boolean,
): Promise<void> {
  const { method, url: path } = request;
  const headers: OutgoingHttpHeaders = { ...request.headers, [directoryHeader]: directory };
  if (firstVersionOnly) delete headers['git-protocol'];
  const asking = await ask({ method, path, headers });
  response.on('close', () => asking.destroy());
  asking.on('error', () => response.destroy());
  asking.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => response.destroy()).pipe(response);
  });
  request.pipe(asking);
}

async function ask(options: RequestOptions): Promise<ReturnType<typeof requestOf>> {
  host ??= startHost();
  return requestOf({ socketPath: await host, agent: false, ...options });
}

/** The socket of the program that runs git for this process, which ends with it. */
let host: Promise<string> | undefined;

async function startHost(): Promise<string> {
  const socketPath = join(mkdtempSync(join(tmpdir(), 'git-')), 'host');
  const program = join(import.meta.dirname, 'git-host.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, socketPath], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`git-host.ts ended with ${code}.`)));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  // Nothing of it keeps this process running.
  child.unref();
  for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref();
  return socketPath;
}
