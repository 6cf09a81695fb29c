import { mkdtempSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { isOwnDirectory } from '../../machine/own-directory.ts';

/** The orders of an ingress: name, body and answer. */
export type Orders = Record<string, (body: unknown) => unknown>;

const longestPath = 100;

/** Paths of sockets end at 107 characters: a home that lies deep gets a directory of its own elsewhere. */
export function controlPath(directory: string, pid: number): string {
  const name = `control-${pid}.sock`;
  const near = join(directory, name);
  return Buffer.byteLength(near) <= longestPath ? near : join(mkdtempSync(join(tmpdir(), 'ballast-')), name);
}

/** Listens for orders. The directory is the user's own (0700), and so is the socket: nobody else may connect. */
export async function obey(path: string, orders: Orders): Promise<Server> {
  const server = createServer(async (asked, response) => {
    try {
      const order = orders[(asked.url ?? '').slice(1)];
      if (order === undefined || asked.method !== 'POST') throw new Error('There is no such order.');
      const answer = (await order(await json(asked))) ?? {};
      response.end(JSON.stringify(answer));
    } catch (error) {
      response.statusCode = 500;
      response.end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
    }
  });
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  } finally {
    process.umask(mask);
  }
  return server;
}

/** The answer of an ingress. A socket in a directory that somebody else may have made is not spoken to. */
export function order(path: string, name: string, body: unknown = {}, milliseconds = 5_000): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (!isOwnDirectory(dirname(path))) {
      reject(new Error(`The ingress cannot be reached: ${dirname(path)} is not a directory that only we can enter.`));
      return;
    }
    const signal = AbortSignal.timeout(milliseconds);
    const asking = request({ socketPath: path, path: `/${name}`, method: 'POST', agent: false, signal }, (response) => {
      json(response).then((answer) => {
        if (response.statusCode === 200) resolve(answer);
        else reject(new Error(`The ingress refused: ${JSON.stringify(answer)}`));
      }, reject);
    });
    asking.once('error', reject);
    asking.end(JSON.stringify(body));
  });
}
