import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { hostBound } from '../../agent/drivers/image.ts';
import { notRun, skipTest } from '../run/not-run.ts';

const source = fileURLToPath(new URL('./sample/main.go', import.meta.url));
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

export interface SampleOptions {
  version?: string;
  command?: string[];
  environment?: Record<string, string>;
  /** Whether the image says that it runs on a host as it is. It does. */
  hostBound?: boolean;
  port?: number;
  /** So many bytes more that no compression makes smaller, others each time. */
  extraBytes?: number;
}

let built: Promise<{ program: string; layer: Buffer }> | undefined;

/** Whether the machine has Go, or has had it. Else the tests that need the sample do not run. */
export function sampleCanBeMade(): boolean {
  const can = existsSync(cacheOf(readFileSync(source)).packed) || spawnSync('go', ['version']).status === 0;
  if (!can) notRun(...withoutGo);
  return can;
}

/** The program of the sample image, built once on a machine for what its source says. */
export async function sampleProgram(): Promise<string> {
  return (await made()).program;
}

/** Writes an image layout with the sample application. What is asked for in the same way has the same digest. */
export async function sampleLayout(directory: string, options: SampleOptions = {}) {
  const { layer } = await made();
  const version = await tarOf([{ name: 'app/version', mode: 0o644, content: `${options.version ?? '1'}\n` }]);
  const port = options.port ?? 8080;
  const write = (mediaType: string, bytes: Buffer) => writeBlob(directory, mediaType, bytes);
  await mkdir(join(directory, 'blobs/sha256'), { recursive: true });
  const packed = 'application/vnd.oci.image.layer.v1.tar+gzip';
  const layers = [await write(packed, layer), await write(packed, compress(version))];
  const diffIds = [digestOf(gunzipSync(layer)), digestOf(version)];
  if (options.extraBytes !== undefined) {
    const extra = await tarOf([{ name: 'app/extra', mode: 0o644, content: randomBytes(options.extraBytes) }]);
    layers.push(await write('application/vnd.oci.image.layer.v1.tar', extra));
    diffIds.push(digestOf(extra));
  }
  const config = await write(
    'application/vnd.oci.image.config.v1+json',
    json({
      architecture,
      os: 'linux',
      config: {
        Entrypoint: ['/app/sample'],
        Cmd: options.command ?? [],
        Env: Object.entries(options.environment ?? {}).map(([name, value]) => `${name}=${value}`),
        ExposedPorts: { [`${port}/tcp`]: {} },
        WorkingDir: '/app',
      },
      rootfs: { type: 'layers', diff_ids: diffIds },
    }),
  );
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const annotations = options.hostBound === false ? {} : { [hostBound]: `linux/${architecture}` };
  const manifest = await write(mediaType, json({ schemaVersion: 2, mediaType, config, layers, annotations }));
  const index = { schemaVersion: 2, manifests: [{ ...manifest, platform: { os: 'linux', architecture } }] };
  await writeFile(join(directory, 'index.json'), json(index));
  await writeFile(join(directory, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  return { layout: directory, digest: manifest.digest };
}

const withoutGo = ['workloads', 'install Go, which builds their program', 'golang-go'] as const;

async function made() {
  built ??= build();
  return await built.catch(async (error) => {
    if (error.code === 'ENOENT') await skipTest(...withoutGo);
    throw error;
  });
}

function cacheOf(source: Buffer) {
  const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const cache = join(process.env.TEST_CACHE ?? tmpdir(), `ballast-sample-${version}`);
  return { cache, program: join(cache, 'sample'), packed: join(cache, 'layer.tar.gz') };
}

async function build() {
  const { cache, program, packed } = cacheOf(await readFile(source));
  const found = await readFile(packed).catch(() => undefined);
  if (found !== undefined) return { program, layer: found };
  // Parallel builds make the same files: the last rename does no harm.
  const draft = `${cache}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await mkdir(cache, { recursive: true });
  const flags = ['build', '-trimpath', '-ldflags=-s -w', '-o', join(draft, 'sample'), source];
  await promisify(execFile)('go', flags, { env: { ...process.env, CGO_ENABLED: '0', GOOS: 'linux' } });
  const content = await readFile(join(draft, 'sample'));
  const layer = compress(await tarOf([{ name: 'app/sample', mode: 0o755, content }]));
  await writeFile(join(draft, 'layer.tar.gz'), layer);
  await rename(join(draft, 'sample'), program);
  await rename(join(draft, 'layer.tar.gz'), packed);
  await rm(draft, { recursive: true });
  return { program, layer };
}

async function tarOf(files: { name: string; mode: number; content: Buffer | string }[]): Promise<Buffer> {
  const tar = pack();
  const mtime = new Date(0);
  tar.entry({ name: 'app', type: 'directory', mode: 0o755, mtime });
  for (const { name, mode, content } of files) tar.entry({ name, mode, mtime }, content);
  tar.finalize();
  return await buffer(tar);
}

async function writeBlob(directory: string, mediaType: string, bytes: Buffer) {
  const digest = digestOf(bytes);
  await writeFile(join(directory, 'blobs', digest.replace(':', '/')), bytes);
  return { mediaType, digest, size: bytes.length };
}

function compress(bytes: Buffer): Buffer {
  return gzipSync(bytes, { level: 6 });
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
