import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { hostBound } from '../../agent/drivers/image.ts';
import { UsageError } from '../engine/command.ts';
import { folderLayer, nodeLayer } from './image-layers.ts';
import { type Blob, LayoutWriter } from './layout-writer.ts';

const packageFile = z.object({
  main: z.string().optional(),
  scripts: z.object({ start: z.string().optional() }).optional(),
});
const leftOut = new Set(['.git', '.image', '.ballast']);

export interface BuiltImage {
  layout: string;
  digests: string[];
}

/** Builds the image of a folder with a Node.js application, in FOLDER/.image unless it says otherwise. */
export async function buildImage(
  folder: string,
  layout = join(folder, '.image'),
  signal?: AbortSignal,
): Promise<BuiltImage> {
  if (process.platform !== 'linux') throw new UsageError('Images are built on Linux, since they hold its Node.js.');
  const start = startOf(folder);
  const writer = await LayoutWriter.in(layout);
  const layers = [
    await writer.layer(nodeLayer(), signal),
    await writer.layer(
      folderLayer(folder, (path) => path === layout || leftOut.has(basename(path))),
      signal,
    ),
  ];
  const platform = { os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch };
  const config = await writer.json('application/vnd.oci.image.config.v1+json', {
    ...platform,
    config: {
      Entrypoint: ['/usr/local/bin/node', ...start],
      Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production'],
      WorkingDir: '/app',
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
  });
  const bound = { [hostBound]: `${platform.os}/${platform.architecture}` };
  const variants = [await variant(writer, config, layers, bound), await variant(writer, config, layers, {})];
  await writer.index(variants.map((one) => ({ ...one, platform })));
  return { layout, digests: variants.map(({ digest }) => digest) };
}

async function variant(writer: LayoutWriter, config: Blob, layers: Blob[], annotations: Record<string, string>) {
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = await writer.json(mediaType, { schemaVersion: 2, mediaType, config, layers, annotations });
  return { ...manifest, annotations };
}

/** The arguments of `node`. */
function startOf(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new UsageError(`${folder} is no folder.`);
  const path = join(folder, 'package.json');
  let read: z.infer<typeof packageFile>;
  try {
    read = packageFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = existsSync(path) ? `cannot be read: ${error instanceof Error ? error.message : error}` : 'is not there';
    throw new UsageError(
      `${path} ${why}; it says how the application is started: {"scripts": {"start": "node server.js"}}.`,
    );
  }
  const script = read.scripts?.start;
  if (script === undefined) {
    const main = read.main ?? 'index.js';
    if (existsSync(join(folder, main))) return [main];
    throw new UsageError(`${path} has no start script, and there is no ${main}; add {"scripts": {"start": "node …"}}.`);
  }
  const [program, ...words] = script.trim().split(/\s+/);
  if (program === 'node' && words.length > 0 && !/["'`$&|;<>(){}*?\\]/.test(script)) return words;
  throw new UsageError(`The start script of ${path} is \`${script}\`; an image starts \`node\` with plain words only.`);
}
