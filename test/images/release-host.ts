import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { TemporalBinaries } from '../../runtime/temporal-server/temporal-binary.ts';
import { authority } from '../ground/authority.ts';

/** Stands in for the host of Temporal's releases: an https server of its own authority that answers what a test says. */
export interface ReleaseHost {
  origin: string;
  /** The authority (PEM) that whoever downloads has to trust. */
  ca: string;
  /** How often each path was asked for. */
  asked: Map<string, number>;
  answer(path: string, body: Buffer | string | RequestListener): void;
  /** Serves an archive together with its checksums, and answers its address. */
  release(file: string, archive: Buffer, checksums?: string): string;
  close(): Promise<void>;
}

export async function releaseHost(name = '127.0.0.1'): Promise<ReleaseHost> {
  const { ca, certify } = await authority();
  const answers = new Map<string, Buffer | string | RequestListener>();
  const asked = new Map<string, number>();
  const server = createServer(await certify(name), (request, response) => {
    const path = request.url ?? '';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const answer = answers.get(path);
    if (typeof answer === 'function') return answer(request, response);
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer);
  });
  const origin = `https://127.0.0.1:${await listening(server)}`;
  return {
    origin,
    ca,
    asked,
    answer: (path, body) => answers.set(path, body),
    release: (file, archive, checksums = checksumLine(file, archive)) => {
      answers.set(`/v1/${file}`, archive);
      answers.set('/v1/checksums.txt', checksums);
      return `${origin}/v1/${file}`;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function checksumLine(file: string, archive: Buffer): string {
  return `${createHash('sha256').update(archive).digest('hex')}  ${file}\n`;
}

/** An archive as Temporal's release tool makes them, its programs scripts that tell a version. */
export async function releaseArchive(
  version: string,
  files = ['temporal-server', 'temporal-sql-tool'],
): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'config/development.yaml' }, 'log: {}\n');
  for (const name of files) archive.entry({ name, mode: 0o755 }, `#!/bin/sh\necho temporal version ${version}\n`);
  archive.finalize();
  return gzipSync(await buffer(archive));
}

/** The programs that this machine has, packed as a release of them. */
export async function packRelease({ server, sqlTool }: TemporalBinaries): Promise<Buffer> {
  const tar = spawn('tar', ['-cf', '-', '-C', dirname(server), basename(server), basename(sqlTool)]);
  // As little as possible: it is unpacked again at once.
  return buffer(tar.stdout.pipe(createGzip({ level: 1 })));
}

/** An https proxy that leads every name to one host, as if that were the host of the name. */
export async function proxyTo(origin: string): Promise<{ address: string; names: string[]; close(): void }> {
  const names: string[] = [];
  const sockets = new Set<Socket>();
  const server = createPlainServer();
  server.on('connection', (client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('data', (head) => {
      names.push(/^CONNECT (\S+) /.exec(head.toString())?.[1] ?? '');
      const host = connect(Number(new URL(origin).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(host).pipe(client);
      });
      sockets.add(host);
      host.on('error', () => client.destroy());
    });
  });
  const address = `http://127.0.0.1:${await listening(server)}`;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { address, names, close };
}

async function listening(server: Server | ReturnType<typeof createPlainServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
