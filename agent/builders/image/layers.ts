import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, posix, relative } from 'node:path';
import { z } from 'zod';
import type { BuildPlan } from '../../../domain/detection/build-plan.ts';
import { writeFileAtomically } from '../../../machine/files.ts';
import { type Blob, folderLayer, LayoutWriter, nodeFiles, nodeLayer, type Placed } from '../../images/layout/layers.ts';
import { SharedWork } from '../../images/shared-work.ts';
import { shownPath } from '../../images/tree.ts';
import { Refusal } from '../../program/refusal.ts';

/** Where the source is in the sandbox: links that a build has made may begin with it. */
const inside = '/build';

interface AppLayer {
  /** A folder beneath `/app`; '' is that itself. */
  below: string;
  /** Other files of the image, which the build has not made. */
  more?: readonly Placed[];
  most: { bytes: number; files: number };
  /** Told of what no image has: a pipe, say. */
  left(path: string, what: string): void;
}
/** Caches that tools keep in the folder, whatever the plan says, and records of pnpm with the time of its last look. */
const leftOut = [
  ...['node_modules/.cache', 'node_modules/.vite', '.next/cache'],
  ...['node_modules/.modules.yaml', 'node_modules/.pnpm-workspace-state-v1.json'],
];

/**
 * Files that the plan keeps, beneath `/app` or a folder of it. The build was free to write links: none is followed, and one that leads out of
 * the image is refused, since on the machine that runs the image it would lead elsewhere.
 */
export function appLayer(
  source: string,
  plan: Pick<BuildPlan, 'directory' | 'keep' | 'drop'>,
  { below, more = [], most, left }: AppLayer,
): ReturnType<typeof folderLayer> {
  const root = realpathSync(source);
  const directory = placeIn(root, plan.directory, root);
  const app = below === '' ? 'app' : `app/${below}`;
  const dropped = new Set([...plan.drop, ...leftOut].map((path) => join(directory, path)));
  const kept = plan.keep.map((path) => normal(path)).sort();
  const placed = kept.map((path): Placed => {
    const from = placeIn(directory, path, root);
    // Of one folder that is served its content counts, not where it was.
    const isServed = below !== '';
    return { from, to: path === '' || isServed ? app : `${app}/${path}` };
  });
  const found = { bytes: 0, files: 0 };
  return folderLayer([...more, ...placed], {
    skips: (path) => dropped.has(path),
    link: (path, target) => linked(path, target, { source: root, from: placed }),
    file(path, bytes) {
      found.files += 1;
      found.bytes += bytes;
      const shown = shownPath([relative(root, path)]);
      if (found.files > most.files)
        throw new Refusal(`The build has left more than ${most.files} files; ${shown} is one too many.`);
      // As long as it says to be, whatever of it is on the disk: that is what the layer would have.
      if (found.bytes > most.bytes)
        throw new Refusal(
          `The image would have more than ${Math.floor(most.bytes / 2 ** 20)} MB, with ${shown} of ${Math.ceil(bytes / 2 ** 20)} MB.`,
        );
    },
    other: (path) => left(relative(root, path), kindOf(path)),
  });
}

function kindOf(path: string): string {
  const found = lstatSync(path);
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  return 'a device';
}

function normal(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (path.startsWith('/') || parts.includes('..'))
    throw new Refusal(`The result ${shownPath([path])} is no path within the source.`);
  return parts.join('/');
}

function placeIn(directory: string, path: string, root: string): string {
  const place = join(directory, normal(path));
  if (!existsSync(place)) throw new Refusal(`The build has not made ${shownPath([path])}, which the image is to have.`);
  const real = realpathSync(place);
  if (real !== root && !real.startsWith(`${root}/`))
    throw new Refusal(`The result ${shownPath([path])} is a link that leads out of the source.`);
  return real;
}

/** The target as it is in the image, relative to the link. */
function linked(path: string, target: string, { source, from }: { source: string; from: readonly Placed[] }): string {
  const wanted = target.startsWith('/')
    ? target === inside || target.startsWith(`${inside}/`)
      ? join(source, target.slice(inside.length))
      : undefined
    : join(posix.dirname(path), target);
  const own = from.find((one) => path === one.from || path.startsWith(`${one.from}/`));
  const within = from.find((one) => wanted !== undefined && (wanted === one.from || wanted.startsWith(`${one.from}/`)));
  if (wanted === undefined || own === undefined || within === undefined) {
    throw new Refusal(
      `${shownPath([relative(source, path)])} is a link to ${shownPath([target])}, which is not in the image: let the build copy what it leads to.`,
    );
  }
  if (!target.startsWith('/') && own === within) return target;
  const at = placed(own, path);
  return relative(posix.dirname(`/${at}`), `/${placed(within, wanted)}`) || '.';
}

function placed({ from, to }: Placed, path: string): string {
  return path === from ? to : `${to}/${path.slice(from.length + 1)}`;
}

const record = z.object({
  made: z.string(),
  blob: z.object({ mediaType: z.string(), digest: z.string(), size: z.number() }),
});

/**
 * Node with its libraries, as a layer: 120 MB that are the same for all builds, so they are written once, beneath
 * `<home>/build-base`, until Node or the system is updated.
 */
export class BaseLayer {
  readonly #directory: string;
  readonly #work = new SharedWork<Blob>();

  constructor(home: string) {
    this.#directory = join(home, 'build-base');
  }

  /** Puts it into a layout. */
  async into(layout: string, signal: AbortSignal): Promise<Blob> {
    const blob = await this.#work.share('node', signal, (shared) => this.#ready(shared));
    const to = pathOf(layout, blob);
    if (!existsSync(to)) linkSync(pathOf(this.#directory, blob), to);
    return blob;
  }

  async #ready(signal: AbortSignal): Promise<Blob> {
    const files = nodeFiles();
    const made = files
      .map(({ from, to }) => {
        const { size, mtimeMs } = statSync(from);
        return `${to} ${from} ${size} ${mtimeMs}`;
      })
      .join('\n');
    const file = join(this.#directory, 'record.json');
    const known = existsSync(file) ? record.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data : undefined;
    if (known?.made === made && existsSync(pathOf(this.#directory, known.blob))) return known.blob;
    rmSync(this.#directory, { recursive: true, force: true });
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const writer = await LayoutWriter.in(this.#directory);
    const blob = await writer.layer(nodeLayer(files), signal);
    for (const name of readdirSync(this.#directory))
      if (name.startsWith('.draft-')) rmSync(join(this.#directory, name), { force: true });
    writeFileAtomically(file, JSON.stringify({ made, blob }));
    return blob;
  }
}

function pathOf(layout: string, { digest }: Blob): string {
  return join(layout, 'blobs', digest.replace(':', '/'));
}
