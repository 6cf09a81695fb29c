import { basename, resolve } from 'node:path';
import { command } from '../engine/command.ts';
import { Progress } from '../engine/progress.ts';
import { buildImage } from './node-image.ts';

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
    const progress = new Progress(process.stderr);
    progress.running('image', `the image of ${basename(folder)} is written`);
    try {
      const layout = await buildImage(folder, output === undefined ? undefined : resolve(output));
      progress.forget('image');
      if (json) process.stdout.write(`${JSON.stringify(layout, undefined, 2)}\n`);
      else process.stdout.write(`${layout.layout}\n`);
    } finally {
      progress.end();
    }
  },
});
