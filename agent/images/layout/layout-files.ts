import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../../program/refusal.ts';

const descriptor = z.object({
  mediaType: z.string().default('application/vnd.oci.image.manifest.v1+json'),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  size: z.int().min(0),
  urls: z.array(z.string()).default([]),
});
export type Descriptor = z.infer<typeof descriptor>;

const index = z.object({ manifests: z.array(descriptor) });
const manifest = z.object({
  mediaType: z.string().optional(),
  config: descriptor.optional(),
  layers: z.array(descriptor).default([]),
  manifests: z.array(descriptor).default([]),
});

export async function indexOf(layout: string): Promise<{ manifests: Descriptor[] }> {
  return read(index, await readFileOf(join(layout, 'index.json')), 'index.json');
}

/** Refuses what is no image layout, before anything is made for it. */
export async function checkLayout(layout: string): Promise<void> {
  const { manifests } = await indexOf(layout);
  if (manifests.length === 0) throw new Refusal(`The image layout ${layout} has no image.`);
  for (const { digest } of manifests) await manifestOf(layout, digest);
}

/** A manifest of the layout as it is, and what it names. */
export async function manifestOf(layout: string, digest: string) {
  const bytes = await readFileOf(join(layout, 'blobs', digest.replace(':', '/')));
  const { mediaType, config, layers, manifests } = read(manifest, bytes, digest);
  const blobs = [...(config === undefined ? [] : [config]), ...layers.filter(({ urls }) => urls.length === 0)];
  return { bytes, type: mediaType, blobs, manifests };
}

export async function readFileOf(path: string): Promise<Buffer> {
  return await readFile(path).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new Refusal(`${path} is not there: this is no whole image layout.`);
    throw error;
  });
}

function read<T>(schema: z.ZodType<T>, bytes: Buffer, name: string): T {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    throw new Refusal(`${name} of the image layout is not what it should be; build the image again.`);
  }
}
