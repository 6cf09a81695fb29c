import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Blob, LayoutWriter } from '../../../images/layout/layout-writer.ts';
import type { ExportedImage } from './exported-image.ts';
import { rewrittenLayer } from './rewrite-layer.ts';

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
    config: settingsOf(config.config ?? {}),
    rootfs: { type: 'layers', diff_ids: blobs.map(({ digest }) => digest) },
    history: (history ?? []).map(({ created: _, ...rest }) => inOrder(rest)),
  });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = await writer.json(mediaType, { schemaVersion: 2, mediaType, config: written, layers: blobs });
  await writer.index([{ ...manifest, platform: { os, architecture } }]);
  return { bytes: blobs.reduce((sum, { size }) => sum + size, 0) };
}

/** Without the id of the image that it was made from, which holds times. */
function settingsOf({ Image: _, Labels: labels, ...rest }: Record<string, unknown>): object {
  const named = Object.keys(labels ?? {}).length > 0;
  return inOrder({ ...rest, ...(named && { Labels: inOrder(labels as Record<string, unknown>) }) });
}

function inOrder(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
