/**
 * `node pack-image.ts SOURCE REQUEST INTO`: packs what a build has left in SOURCE, by REQUEST, a file with a `PackRequest`, into
 * INTO/layer.tar, and writes a `PackAnswer` into INTO/answer.json.
 *
 * The author of a source decides what lies there: links out of it, files without end, pipes that nobody writes to. So this runs in a
 * sandbox of its own, with no rights, and the agent reads nothing of a build but its two files.
 */
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BuildPlan } from '../../../domain/detection/build-plan.ts';
import { shownPath } from '../../images/tree.ts';
import { Refusal } from '../../program/refusal.ts';
import { appLayer } from './layers.ts';
import { entrypointOf } from './start.ts';

export interface PackRequest {
  plan: Pick<BuildPlan, 'directory' | 'keep' | 'drop' | 'start' | 'startIn' | 'proposed'>;
  /** The program that serves pages, and the folder in which it has them; undefined: the application starts itself. */
  server: { path: string; name: string; folder: string } | undefined;
  most: { bytes: number; files: number };
}

export type PackAnswer =
  /** `left`: what is in no image, with what it is. `proposed`: in place of the entry point; empty where a line cannot be run. */
  { refused: string } | { entrypoint: string[]; left: string[]; proposed: { name: string; command: string[] }[] };

const [source = '', request = '', into = ''] = process.argv.slice(2);
const answer = await packed(JSON.parse(readFileSync(request, 'utf8'))).catch((error: unknown): PackAnswer => {
  if (error instanceof Refusal) return { refused: error.message };
  if (error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG')
    return { refused: 'The build has left a path that is too long to be read: more than 4,096 bytes.' };
  throw error;
});
writeFileSync(join(into, 'answer.json'), JSON.stringify(answer));

async function packed({ plan, server, most }: PackRequest): Promise<PackAnswer> {
  const node = '/usr/local/bin/node';
  const left: string[] = [];
  const layer = appLayer(source, plan, {
    ...{ below: server?.folder ?? '', most, left: (path, what) => void left.push(`${shownPath([path])} is ${what}`) },
    more: server === undefined ? [] : [{ from: server.path, to: `app/${server.name}` }],
  });
  await pipeline(layer, createWriteStream(join(into, 'layer.tar')));
  const entrypoint =
    server === undefined
      ? entrypointOf(plan.start, join(source, plan.directory), plan.startIn)
      : [node, server.name, server.folder];
  const proposed = plan.proposed.map(({ name, line }) => ({ name, command: commandOf(line, plan) }));
  return { entrypoint, left: left.slice(0, 20), proposed };
}

function commandOf(line: string, { directory, startIn }: PackRequest['plan']): string[] {
  try {
    return entrypointOf(line, join(source, directory), startIn);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
