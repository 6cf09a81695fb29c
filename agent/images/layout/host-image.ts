import { hostBound } from '../../drivers/image.ts';
import { platform } from '../manifest.ts';
import type { Blob, LayoutWriter } from './layout-writer.ts';

export interface HostConfig {
  Entrypoint: string[];
  Env: string[];
  WorkingDir: string;
  ExposedPorts?: Record<string, object>;
}

/**
 * An image in two variants of the same layers: one for the driver process, which has no system of its own, and one for docker.
 * Answers their digests.
 */
export async function writeHostImage(
  writer: LayoutWriter,
  layers: readonly Blob[],
  config: HostConfig,
): Promise<string[]> {
  const written = await writer.json('application/vnd.oci.image.config.v1+json', {
    ...platform,
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
  });
  const variants = [];
  for (const annotations of [{ [hostBound]: `${platform.os}/${platform.architecture}` }, {}]) {
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const document = { schemaVersion: 2, mediaType, config: written, layers, annotations };
    variants.push({ ...(await writer.json(mediaType, document)), annotations, platform });
  }
  await writer.index(variants);
  return variants.map(({ digest }) => digest);
}
