import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { hostBound } from '../../agent/drivers/image.ts';

export type Entry = Partial<Header> & { name: string; content?: string };
export type Compression = 'tar' | 'gzip' | 'zstd';

const endings = { tar: '', gzip: '+gzip', zstd: '+zstd' };

/** An image whose layers are made by hand, so that they may be as hostile as one likes. */
export async function handMadeLayout(
  layers: readonly (readonly Entry[] | Buffer)[],
  changes: {
    compression?: Compression;
    diffIds?: string[];
    architecture?: string;
    layerSize?: number;
    /** An image that runs on this host as it is, without a container. */
    hostBound?: boolean;
  } = {},
): Promise<{ layout: string; digest: string }> {
  const layout = mkdtempSync(join(tmpdir(), 'ballast-layout-'));
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const compression = changes.compression ?? 'gzip';
  const tars = await Promise.all(layers.map((layer) => (Buffer.isBuffer(layer) ? layer : tarOf(layer))));
  const put = (mediaType: string, bytes: Buffer) => {
    const digest = digestOf(bytes);
    writeFileSync(join(layout, 'blobs', digest.replace(':', '/')), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const blobs = tars.map((tar) => ({
    ...put(`application/vnd.oci.image.layer.v1.tar${endings[compression]}`, compress(tar, compression)),
    ...(changes.layerSize === undefined ? {} : { size: changes.layerSize }),
  }));
  const architecture = changes.architecture ?? (process.arch === 'x64' ? 'amd64' : process.arch);
  const diffIds = changes.diffIds ?? tars.map(digestOf);
  const configuration = { os: 'linux', architecture, config: { Cmd: ['/run'] }, rootfs: { diff_ids: diffIds } };
  const config = put('application/vnd.oci.image.config.v1+json', json(configuration));
  const annotations = changes.hostBound === true ? { annotations: { [hostBound]: `linux/${architecture}` } } : {};
  const manifest = json({ schemaVersion: 2, config, layers: blobs, ...annotations });
  const { digest, size } = put('application/vnd.oci.image.manifest.v1+json', manifest);
  writeFileSync(join(layout, 'index.json'), json({ manifests: [{ digest, size }] }));
  return { layout, digest };
}

export async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const { content, ...header } of entries)
    tar.entry({ mode: 0o644, mtime: new Date(0), ...header }, content ?? '');
  tar.finalize();
  return await buffer(tar);
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function compress(bytes: Buffer, compression: Compression): Buffer {
  if (compression === 'tar') return bytes;
  return compression === 'gzip' ? gzipSync(bytes) : zstdCompressSync(bytes);
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
