import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { type DebianLayer, type DebianName, debianLayers } from './debian-base.ts';

/** The images that builds begin with, in the versions that the sources of tests ask for. */
const tags: Readonly<Record<DebianName, readonly string[]>> = {
  system: ['debian:stable-slim'],
  node: ['node:20-slim', 'node:22-slim', 'node:24-slim'],
  python: ['python:3.11-slim', 'python:3.12-slim'],
  go: ['golang:1', 'golang:1.21'],
  rust: ['rust:1-slim'],
  java: ['17', '21'].flatMap((version) => [`eclipse-temurin:${version}`, `maven:3-eclipse-temurin-${version}`]),
};

/** The images that a build of this provider begins with. */
export function debianOf(provider: string): DebianName[] {
  if (provider === 'python' || provider === 'java') return ['node', provider];
  return provider === 'go' || provider === 'rust' ? [provider, 'system'] : ['node'];
}

const loaded = new Set<string>();

/** Puts images of Debian into an engine, once, by the names of those that it would pull. */
export async function loadDebian(socket: string, name: DebianName): Promise<void> {
  if (loaded.has(`${socket} ${name}`)) return;
  const layers = await debianLayers(name);
  const archive = pack();
  void fill(archive, layers, tags[name]).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  const headers = { host: 'docker', 'content-type': 'application/x-tar' };
  const asked = request({ socketPath: socket, method: 'POST', path: '/images/load?quiet=1', headers });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(archive, { objectMode: false }), asked);
  const said = await text((await answered)[0]);
  if (!said.includes('Loaded image')) throw new Error(`The engine does not take the image ${name}: ${said}`);
  loaded.add(`${socket} ${name}`);
}

/** As `docker save` writes it. */
async function fill(archive: Pack, layers: readonly DebianLayer[], names: readonly string[]): Promise<void> {
  const config = JSON.stringify({
    ...{ architecture: process.arch === 'x64' ? 'amd64' : process.arch, os: 'linux' },
    config: { Env: layers.at(-1)?.environment ?? [], Cmd: ['/bin/sh'] },
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    history: layers.map(() => ({ created: '1970-01-01T00:00:00Z' })),
  });
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
  const places = layers.map(({ digest }) => `${digest.slice(7)}/layer.tar`);
  archive.entry({ name: configName }, config);
  for (const [index, { path }] of layers.entries())
    await pipeline(createReadStream(path), archive.entry({ name: places[index] ?? '', size: statSync(path).size }));
  archive.entry({ name: 'manifest.json' }, JSON.stringify([{ Config: configName, RepoTags: names, Layers: places }]));
}
