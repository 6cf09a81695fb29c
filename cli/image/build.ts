import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { folderLayer, LayoutWriter, nodeLayer } from '../../agent/images/layout/layers.ts';
import { writeHostImage } from '../../agent/images/layout/layout.ts';
import { command, jsonOption, UsageError } from '../engine/command.ts';
import { Progress } from '../engine/progress.ts';

const packageFile = z.object({
  main: z.string().optional(),
  scripts: z.object({ start: z.string().optional() }).optional(),
});
const leftOut = new Set(['.git', '.image', '.ballast']);

interface BuiltImage {
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
  const skips = (path: string) => path === layout || leftOut.has(basename(path));
  const layers = [
    await writer.layer(nodeLayer(), signal),
    await writer.layer(folderLayer([{ from: folder, to: 'app' }], { skips }), signal),
  ];
  const digests = await writeHostImage(writer, layers, {
    Entrypoint: ['/usr/local/bin/node', ...start],
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production'],
    WorkingDir: '/app',
  });
  return { layout, digests };
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

export const imageBuild = command({
  summary: 'Builds an image of a folder with a Node.js application',
  usage: 'FOLDER [--output DIRECTORY] [--json]',
  details: `The image has the folder, with its node_modules, and the Node.js that Ballast itself runs on. What it starts is the start
script of package.json, \`node …\`, or else its main file. It is an image layout for clusters on this machine and on others
like it: one variant for the driver process, which has no system of its own, and one for docker. It runs nothing of the
folder: build steps come before. Images of other applications are built by \`docker buildx build --output type=oci,tar=false\`.`,
  options: {
    output: { type: 'string', value: 'DIRECTORY', what: 'Where to write it; FOLDER/.image by default.' },
    ...jsonOption,
  },
  run: async ({ output }, [given = '']) => {
    const folder = resolve(given);
    const progress = new Progress(process.stderr);
    progress.running('image', `the image of ${basename(folder)} is written`);
    try {
      const layout = await buildImage(folder, output === undefined ? undefined : resolve(output));
      progress.forget('image');
      return { json: layout, text: layout.layout };
    } finally {
      progress.end();
    }
  },
});
