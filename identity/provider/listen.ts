import { once } from 'node:events';
import { lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { required, type Settings, SettingsError } from '../../domain/settings/settings.ts';

/** Where the provider listens: on a socket in a directory that nobody else can change, or at a port of this machine. */
export type ListenAddress = { path: string } | { host: '127.0.0.1'; port: number };

export function placeOf(settings: Settings): ListenAddress {
  const { BUILT_IN_PROVIDER_SOCKET: path, BUILT_IN_PROVIDER_URL: url } = settings;
  if (path !== undefined) return { path };
  if (url === undefined) return { path: required(settings, 'BUILT_IN_PROVIDER_SOCKET') };
  const { protocol, port } = new URL(url);
  if (protocol === 'http:') return { host: '127.0.0.1', port: Number(port) || 80 };
  throw new SettingsError(
    'BUILT_IN_PROVIDER_URL is an https address, and the provider itself speaks no TLS: set BUILT_IN_PROVIDER_SOCKET, or an http address of this machine, and put a proxy in front of it.',
  );
}

/** Begins to listen; throws a sentence when the place cannot be had. */
export async function listen(server: Server, place: ListenAddress): Promise<void> {
  if ('path' in place) await clear(place.path);
  // Only our own user may connect; the mode cannot be set later without a moment in which others may.
  const before = process.umask(0o177);
  try {
    server.listen(place);
  } finally {
    process.umask(before);
  }
  await once(server, 'listening').catch((error: unknown) => {
    throw whyNot(error, place);
  });
}

/** Removes the socket that a killed provider has left; refuses to take the place of one that lives. */
async function clear(path: string): Promise<void> {
  const directory = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (directory?.isDirectory() !== true || (directory.mode & 0o022) !== 0) {
    throw new SettingsError(
      `BUILT_IN_PROVIDER_SOCKET is ${path}, whose directory is missing, or can be changed by other users, who could take passwords there; name one that only you can write.`,
    );
  }
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isSocket()) {
    throw new SettingsError(`BUILT_IN_PROVIDER_SOCKET is ${path}, which is a file and no socket; name another path.`);
  }
  if (await answers(path)) throw taken(`BUILT_IN_PROVIDER_SOCKET is ${path}, where another provider listens`);
  rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function whyNot(error: unknown, place: ListenAddress): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if ('port' in place && code === 'EADDRINUSE')
    return taken(`Port ${place.port} of BUILT_IN_PROVIDER_URL is taken by another program`);
  if ('path' in place && (code === 'EINVAL' || code === 'ENAMETOOLONG')) {
    return new SettingsError(
      `BUILT_IN_PROVIDER_SOCKET is ${place.path}, which is too long for a socket; name a path of at most 103 bytes.`,
    );
  }
  return error;
}

function taken(what: string): SettingsError {
  return new SettingsError(`${what}; stop that one, or name another place.`);
}
