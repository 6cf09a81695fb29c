import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { identify, signal } from '../../../machine/process-identity.ts';
import type { HolderRecord, IngressFiles } from '../ingress-files.ts';

const readyMilliseconds = 10_000;

/** Beside this file, and beside the bundle that this file is in. */
export const holderScript = fileURLToPath(new URL('hold-socket.sh', import.meta.url));

export interface Holding {
  files: IngressFiles;
  script: string;
  /** The digest of a program that was written down. */
  digest: string;
  listen: string;
  socket: { fd: number; port: number; close(): void };
  /**
   * Whether a holder whose first process fails goes on: it has the only copy of the socket, and nobody else is to get the port
   * while a machine is slow.
   */
  keeps?: boolean;
}

/**
 * Starts a holder with the socket, which is closed here before anything else can happen, and resolves when the holder's first
 * process serves. A holder whose process does not come to serve is ended, unless it keeps the socket.
 */
export async function startHolder({ files, script, digest, listen, socket, keeps = false }: Holding): Promise<void> {
  const log = openSync(files.ownLog, 'a', 0o600);
  const child = spawn('/bin/sh', [script, files.directory, files.programName(digest)], {
    cwd: '/',
    env: { PATH: process.env.PATH },
    detached: true,
    stdio: ['pipe', log, log, socket.fd, 'pipe'],
  });
  closeSync(log);
  socket.close();
  child.unref();
  const [go, , , , ready] = child.stdio;
  if (!(go instanceof Writable) || !(ready instanceof Readable)) throw new Error('A holder has two pipes.');
  // A shell that has ended already does not read the line.
  go.on('error', () => undefined);
  const spawned = Promise.withResolvers<never>();
  child.once('error', spawned.reject);
  spawned.promise.catch(() => undefined);
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  const record: HolderRecord | undefined = identity && { ...identity, digest, listen, port: socket.port };
  if (record !== undefined) {
    files.writeHolder(record);
    go.end('recorded\n');
  }
  try {
    await Promise.race([spawned.promise, isReady(ready)]);
  } catch (error) {
    if (record !== undefined && !keeps) {
      signal(record, 'SIGKILL');
      files.removeHolder(record);
    }
    throw error;
  } finally {
    ready.destroy();
  }
}

/** The end of the pipe without a word: its writers have ended. */
function isReady(pipe: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error('The program of the ingress did not start: see ingress.log.'));
    const timer = setTimeout(fail, readyMilliseconds);
    pipe.on('error', fail);
    pipe.once('data', () => resolve());
    pipe.once('close', fail);
    pipe.once('end', fail);
    pipe.once('close', () => clearTimeout(timer));
  });
}
