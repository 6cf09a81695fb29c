import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { syncDirectory, writeFileAtomically } from '../../../machine/files.ts';
import { sliceKey } from '../../../protocol/desired.ts';
import { partName } from '../../../protocol/workload.ts';
import type { Places } from './places.ts';
import { removeTree } from './roots.ts';

const run = promisify(execFile);

/** A volume in whose place another directory comes, whose data go on under another name. */
export interface Replacement {
  key: string;
  name: string;
  /** The name of a volume, or of a directory that was made by `stage`. */
  by: string;
  keptAs: string;
}

export interface VolumesOptions {
  /** The user of a workload, where each has one of its own. */
  userOf?(key: string): number | undefined;
  /** Told when volumes are removed. */
  removed?(): void;
}

const replacing = '.replace-';

/**
 * The volumes of a machine, a directory each; both drivers have them, so that an agent can change its driver and keep them. Measuring
 * reads every directory, so it runs seldom and in the background.
 */
export class Volumes {
  readonly #places: Places;
  readonly #options: VolumesOptions;
  readonly #counted = new Map<string, { usedBytes: number; again: number }>();

  /** Replacements that an agent had begun that was killed are finished, before anything is started. */
  constructor(places: Places, options: VolumesOptions = {}) {
    this.#places = places;
    this.#options = options;
    for (const slice of names(places.allVolumes)) {
      const begun = readdirSync(join(places.allVolumes, slice)).filter((name) => name.startsWith(replacing));
      for (const name of begun) {
        const note = join(places.allVolumes, slice, name);
        // The draft of a note that was never put in place: nothing had begun.
        if (name.endsWith('.new')) rmSync(note);
        else this.#finish(JSON.parse(readFileSync(note, 'utf8')));
      }
    }
  }

  /** The directory of a volume, which may not be there. */
  path(key: string, name: string): string {
    return this.#places.volume(sliceKey.parse(key), partName.parse(name));
  }

  /** The user whose files are those of the workload; undefined: files belong to whom the archive says. */
  userOf(key: string): number | undefined {
    return this.#options.userOf?.(key);
  }

  /** An empty directory beside the volumes of a workload, for what is to come in the place of one of them. */
  async stage(key: string, name: string): Promise<{ path: string; by: string }> {
    await this.discard(key, name);
    const by = stagedName(name);
    mkdirSync(this.#places.volumesOf(sliceKey.parse(key)), { recursive: true, mode: 0o711 });
    const path = this.#places.volume(key, by);
    mkdirSync(path, { mode: 0o700 });
    return { path, by };
  }

  /** Its name is free at once. Programs of a killed agent may still write into it: then the next agent sweeps the rest. */
  async discard(key: string, name: string): Promise<void> {
    await this.#throwAway(this.#places.volume(sliceKey.parse(key), stagedName(name))).catch(() => undefined);
  }

  isThere(key: string, name: string): boolean {
    return existsSync(this.#places.volume(sliceKey.parse(key), name));
  }

  /**
   * At once for everybody who looks at its names, and to its end once it has begun, also by the next agent. Nothing may run that
   * mounts the volume.
   */
  replace(replacement: Replacement): void {
    const { key, name, by, keptAs } = replacement;
    if (!this.isThere(key, by)) throw new Error(`There is nothing by which ${name} could be replaced.`);
    if (this.isThere(key, keptAs)) throw new Error(`The name ${keptAs} is taken.`);
    const note = this.#note(replacement);
    writeFileAtomically(note, JSON.stringify({ key, name, by, keptAs }));
    this.#finish(replacement);
  }

  /** From whatever state a killed agent has left to the same end. */
  #finish(replacement: Replacement): void {
    const { key, name, by, keptAs } = replacement;
    const [volume, next, kept] = [this.path(key, name), this.#places.volume(key, by), this.path(key, keptAs)];
    if (existsSync(next)) {
      if (existsSync(volume) && !existsSync(kept)) renameSync(volume, kept);
      renameSync(next, volume);
    }
    syncDirectory(this.#places.volumesOf(key));
    rmSync(this.#note(replacement), { force: true });
    this.#counted.delete(volume);
  }

  #note({ key, keptAs }: Replacement): string {
    return this.#places.volume(key, `${replacing}${keptAs}`);
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
    const volume = this.path(key, name);
    this.#counted.delete(volume);
    await this.#throwAway(volume);
    try {
      rmdirSync(this.#places.volumesOf(key));
    } catch {
      // Other volumes remain in the directory, or it never existed.
    }
    this.#options.removed?.();
  }

  /** Gone at once by its name, even if deleting it takes long or is interrupted. */
  async #throwAway(path: string): Promise<void> {
    if (!existsSync(path)) return;
    const trash = join(this.#places.allVolumes, `.removed-${randomBytes(6).toString('hex')}`);
    renameSync(path, trash);
    await removeTree(trash);
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

export const stagedName = (name: string): string => `.staged-${partName.parse(name)}`;

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
