import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Places } from './places.ts';
import { removeTree } from './roots.ts';

const run = promisify(execFile);

/** The volumes and their sizes. Measuring reads every directory, so it runs seldom and in the background. */
export class Volumes {
  readonly #places: Places;
  readonly #counted = new Map<string, { usedBytes: number; again: number }>();

  constructor(places: Places) {
    this.#places = places;
  }

  async list(): Promise<{ key: string; name: string; usedBytes: number }[]> {
    const found: { key: string; name: string; usedBytes: number }[] = [];
    for (const slice of names(this.#places.allVolumes)) {
      for (const name of names(join(this.#places.allVolumes, slice))) {
        const key = decodeURIComponent(slice);
        found.push({ key, name, usedBytes: await this.#used(this.#places.volume(key, name)) });
      }
    }
    return found;
  }

  async remove(key: string, name: string): Promise<void> {
    const volume = this.#places.volume(key, name);
    this.#counted.delete(volume);
    if (existsSync(volume)) {
      // Gone at once by its name, even if deleting it takes long or is interrupted.
      const trash = join(this.#places.allVolumes, `.removed-${randomBytes(6).toString('hex')}`);
      renameSync(volume, trash);
      await removeTree(trash);
    }
    try {
      rmdirSync(this.#places.volumesOf(key));
    } catch {
      // Other volumes remain in the directory, or it never existed.
    }
  }

  async sweep(): Promise<void> {
    for (const name of readdirSync(this.#places.allVolumes))
      if (name.startsWith('.removed-')) await removeTree(join(this.#places.allVolumes, name));
  }

  async #used(volume: string): Promise<number> {
    const known = this.#counted.get(volume);
    if (known !== undefined && Date.now() < known.again) return known.usedBytes;
    const begin = Date.now();
    const usedBytes = await count(volume).catch(() => known?.usedBytes ?? 0);
    // Counting may take a twentieth of the time.
    this.#counted.set(volume, { usedBytes, again: begin + Math.max(5_000, 20 * (Date.now() - begin)) });
    return usedBytes;
  }
}

/** In half a minute or not at all. */
async function count(volume: string): Promise<number> {
  const { stdout } = await run('du', ['-skx', '--', volume], { timeout: 30_000, maxBuffer: 65_536 }).catch(
    (error: { stdout?: string; killed?: boolean }) => {
      // A file that went away while it counted is no reason to know nothing.
      if (error.killed || !error.stdout) throw error;
      return { stdout: error.stdout };
    },
  );
  return Number(stdout.split('\t')[0]) * 1024;
}

function names(directory: string): string[] {
  return readdirSync(directory).filter((name) => !name.startsWith('.'));
}
