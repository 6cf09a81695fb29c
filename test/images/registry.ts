import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';

/** Debian's docker-registry, if it is installed. */
export const registryIsThere = spawnSync('docker-registry', ['--version']).status === 0;

/** A real registry of the test's own, in a temporary directory. */
export async function startRegistry() {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-registry-'));
  const port = await freePort();
  const config = join(directory, 'config.yml');
  const storage = { filesystem: { rootdirectory: join(directory, 'data') } };
  writeFileSync(config, JSON.stringify({ version: 0.1, storage, http: { addr: `127.0.0.1:${port}` } }));
  const child = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  };
  const answers = async () => (await fetch(`${url}/v2/`).catch(() => undefined))?.ok;
  await until('the registry answers', answers).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { host: `127.0.0.1:${port}`, url, stop };
}

/** Puts the image of a layout into a registry. */
export async function push(url: string, layout: string, digest: string, repository: string, tag: string) {
  const base = `${url}/v2/${repository}`;
  const manifest = blobOf(layout, digest);
  const { config, layers } = JSON.parse(manifest.toString());
  for (const part of [config, ...layers]) {
    const begun = await fetch(`${base}/blobs/uploads/`, { method: 'POST' });
    const place = new URL(begun.headers.get('location') ?? '', url);
    place.searchParams.set('digest', part.digest);
    const headers = { 'content-type': 'application/octet-stream' };
    await accepted(fetch(place, { method: 'PUT', body: new Uint8Array(blobOf(layout, part.digest)), headers }));
  }
  const headers = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' };
  await accepted(fetch(`${base}/manifests/${tag}`, { method: 'PUT', body: new Uint8Array(manifest), headers }));
}

export function blobOf(layout: string, digest: string): Buffer {
  return readFileSync(join(layout, 'blobs', digest.replace(':', '/')));
}

/** A server of the test's own that answers as the test says, and remembers what it was asked. */
export async function startAnswering(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const asked: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, asked, stop };
}

async function accepted(answer: Promise<Response>): Promise<void> {
  const { status } = await answer;
  if (status !== 201) throw new Error(`The registry answered ${status}.`);
}
