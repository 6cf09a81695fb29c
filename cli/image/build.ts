import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { hostBound } from '../../agent/drivers/image.ts';
import { command, UsageError } from '../engine/command.ts';
import { Progress } from '../engine/progress.ts';
import { folderLayer, nodeLayer } from './image-layers.ts';
import { type Blob, LayoutWriter } from './layout-writer.ts';

const packageFile = z.object({
  main: z.string().optional(),
  scripts: z.object({ start: z.string().optional() }).optional(),
});
const leftOut = new Set(['.git', '.image', '.ballast']);

export const imageBuild = command({
  summary: 'Builds an image of a folder with a Node.js application',
  usage: 'FOLDER [--output DIRECTORY] [--json]',
  details: `The image has the folder, with its node_modules, and the Node.js that Ballast itself runs on. What it starts is the start
script of package.json, \`node …\`, or else its main file. It is an image layout for clusters on this machine and on others
like it: one variant for the driver process, which has no system of its own, and one for docker. It runs nothing of the
folder: build steps come before. Images of other applications are built by \`docker buildx build --output type=oci,tar=false\`.`,
  words: { least: 1, most: 1 },
  options: {
    output: { type: 'string', value: 'DIRECTORY', what: 'Where to write it; FOLDER/.image by default.' },
    json: { type: 'boolean', what: 'Print JSON.' },
  },
  run: async ({ output, json }, [given = '']) => {
    const folder = resolve(given);
    if (process.platform !== 'linux') throw new UsageError('Images are built on Linux, since they hold its Node.js.');
    const start = startOf(folder);
    const progress = new Progress(process.stderr);
    progress.running('image', `the image of ${basename(folder)} is written`);
    try {
      const layout = await build(folder, resolve(output ?? join(folder, '.image')), start);
      progress.forget('image');
      if (json) process.stdout.write(`${JSON.stringify(layout, undefined, 2)}\n`);
      else process.stdout.write(`${layout.layout}\n`);
    } finally {
      progress.end();
    }
  },
});

async function build(folder: string, layout: string, start: string[]): Promise<{ layout: string; digests: string[] }> {
  const writer = await LayoutWriter.in(layout);
  const layers = [
    await writer.layer(nodeLayer()),
    await writer.layer(folderLayer(folder, (path) => path === layout || leftOut.has(basename(path)))),
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
