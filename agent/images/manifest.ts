import { createHash } from 'node:crypto';
import { z } from 'zod';
import { digest } from '../../protocol/workload.ts';
import { hostBound, type ImageConfig } from '../drivers/image.ts';
import { Refusal } from '../program/refusal.ts';

export const largestManifest = 4 * 1024 * 1024;

const descriptor = z.object({
  mediaType: z.string().max(255).default(''),
  digest,
  size: z.int().min(0),
  platform: z.object({ os: z.string().max(64), architecture: z.string().max(64) }).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
export type Descriptor = z.infer<typeof descriptor>;

const index = z.object({ manifests: z.array(descriptor).max(1000) });
const manifest = z.object({
  config: descriptor,
  layers: z.array(descriptor).max(500),
  annotations: z.record(z.string(), z.string()).default({}),
});
export type Manifest = z.infer<typeof manifest>;

const strings = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const config = z.object({
  os: z.string().default('linux'),
  architecture: z.string().default(''),
  config: z
    .object({
      Entrypoint: strings,
      Cmd: strings,
      Env: strings,
      WorkingDir: z.string().nullish(),
      User: z.string().nullish(),
      ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
  rootfs: z.object({ diff_ids: z.array(digest).nullish() }),
});

const layerTypes = [
  /^application\/vnd\.oci\.image\.layer\.(nondistributable\.)?v1\.tar(\+gzip|\+zstd)?$/,
  /^application\/vnd\.docker\.image\.rootfs\.(diff|foreign\.diff)\.tar(\.gzip)?$/,
];

export const platform = {
  os: 'linux',
  architecture:
    new Map([
      ['x64', 'amd64'],
      ['ia32', '386'],
    ]).get(process.arch) ?? process.arch,
};

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The document that a digest or a tag leads to: an image, or an index of images for several platforms. */
export function readManifest(bytes: Buffer, name: string): Manifest | { manifests: Descriptor[] } {
  const json = parse(bytes, name);
  // One that is both is read as one thing here and as another there.
  if ('manifests' in json && ('layers' in json || 'config' in json)) {
    throw new Refusal(`${name} is an image and a list of images at once, which is not allowed.`);
  }
  if ('manifests' in json) return checked(index, json, name);
  if ('fsLayers' in json) throw new Refusal(`${name} has an image in an old format; push it again with a newer tool.`);
  const read = checked(manifest, json, name);
  for (const { mediaType } of read.layers) {
    if (layerTypes.some((known) => known.test(mediaType))) continue;
    throw new Refusal(`${name} has a layer of the type ${JSON.stringify(mediaType)}, which cannot be unpacked.`);
  }
  return read;
}

/** The one image for this machine and its driver: some lists have a variant for processes, and one for containers. */
export function choose(manifests: readonly Descriptor[], name: string, runBy?: string): Descriptor {
  const forMachine = manifests.filter(
    (one) =>
      one.platform === undefined ||
      (one.platform.os === platform.os && one.platform.architecture === platform.architecture),
  );
  const forDriver = forMachine.filter(
    ({ annotations }) => (annotations?.[hostBound] !== undefined) === (runBy === 'process'),
  );
  const fitting = runBy === undefined || forDriver.length === 0 ? forMachine : forDriver;
  const [first, ...others] = fitting;
  if (first === undefined) {
    const there = manifests.map((one) => `${one.platform?.os}/${one.platform?.architecture}`).slice(0, 10);
    throw new Refusal(
      `${name} has no image for ${platform.os}/${platform.architecture}; it has ${there.join(', ') || 'none at all'}.`,
    );
  }
  if (others.some((other) => other.digest !== first.digest)) {
    const digests = fitting.map((one) => one.digest).slice(0, 10);
    throw new Refusal(`${name} has several images, name one by its digest: ${digests.join(', ')}.`);
  }
  return first;
}

export function readConfig(bytes: Buffer, layers: number, name: string): ImageConfig {
  const { os, architecture, config: wanted, rootfs } = checked(config, parse(bytes, name), name);
  if (os !== platform.os || (architecture !== '' && architecture !== platform.architecture)) {
    throw new Refusal(
      `${name} is an image for ${os}/${architecture}, and this machine is ${platform.os}/${platform.architecture}.`,
    );
  }
  const diffIds = rootfs.diff_ids ?? [];
  if (diffIds.length !== layers) throw new Refusal(`${name} has another number of layers than its configuration says.`);
  return {
    os,
    architecture,
    entrypoint: wanted?.Entrypoint ?? [],
    command: wanted?.Cmd ?? [],
    environment: Object.fromEntries((wanted?.Env ?? []).flatMap(variableOf)),
    workingDirectory: wanted?.WorkingDir ?? '',
    user: wanted?.User ?? '',
    exposedPorts: Object.keys(wanted?.ExposedPorts ?? {})
      .map((port) => Number.parseInt(port, 10))
      .filter((port) => port >= 1 && port <= 65_535),
    diffIds,
  };
}

function variableOf(text: string): [string, string][] {
  const at = text.indexOf('=');
  return at > 0 ? [[text.slice(0, at), text.slice(at + 1)]] : [];
}

function parse(bytes: Buffer, name: string): object {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof json === 'object' && json !== null) return json;
  } catch {
    // Said below.
  }
  throw new Refusal(`${name} has a manifest or configuration that is not a JSON object.`);
}

function checked<T>(schema: z.ZodType<T>, json: object, name: string): T {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Refusal(
    `${name} has a manifest or configuration that is invalid: ${issue?.path.join('.')}: ${issue?.message}.`,
  );
}
