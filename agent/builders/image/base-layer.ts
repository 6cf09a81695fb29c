import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../../machine/files.ts';
import { nodeFiles, nodeLayer } from '../../images/layout/layers.ts';
import { type Blob, LayoutWriter } from '../../images/layout/layout-writer.ts';
import { SharedWork } from '../../images/shared-work.ts';

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
