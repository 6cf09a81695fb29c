import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Blob, LayoutWriter } from '../../../images/layout/layout-writer.ts';
import type { ExportedImage } from './exported-image.ts';
import { rewrittenLayer } from './rewrite-layer.ts';

/** Labels that say whose an image of the engine is begin so; they are not in the image that is pushed. */
export const ownLabels = 'dev.ballast.';

/** Writes the image so that the same files, commands and settings have the same digest, whenever and by whichever cache they were made. */
export async function rewriteImage(
  { layers, config }: ExportedImage,
  layout: string,
  signal: AbortSignal,
): Promise<{ bytes: number }> {
  const writer = await LayoutWriter.in(layout);
  const known = new Map<string, Blob>();
  for (const path of new Set(layers)) {
    known.set(path, await writer.layer(Readable.from(rewrittenLayer(path), { objectMode: false }), signal));
    await rm(path);
  }
  const blobs = layers.flatMap((path) => known.get(path) ?? []);
  const { architecture, os, variant, history } = config;
  const written = await writer.json('application/vnd.oci.image.config.v1+json', {
    ...{ architecture, os },
    ...(variant !== undefined && { variant }),
    config: withoutOwn(config.config ?? {}),
    rootfs: { type: 'layers', diff_ids: blobs.map(({ digest }) => digest) },
    history: (history ?? []).map(({ created: _, ...rest }) => inOrder(rest)),
  });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = await writer.json(mediaType, { schemaVersion: 2, mediaType, config: written, layers: blobs });
  await writer.index([{ ...manifest, platform: { os, architecture } }]);
  return { bytes: blobs.reduce((sum, { size }) => sum + size, 0) };
}

function withoutOwn(config: Record<string, unknown>): object {
  // The id of the image that it was made from, which holds times.
  const { Image: _, Labels: labels, ...rest } = config;
  const kept = Object.entries((labels ?? {}) as Record<string, string>).filter(([name]) => !name.startsWith(ownLabels));
  return inOrder({ ...rest, ...(kept.length > 0 && { Labels: inOrder(Object.fromEntries(kept)) }) });
}

function inOrder(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
