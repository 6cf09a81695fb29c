import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../domain/settings/settings.ts';
import { fullDisk } from '../../machine/full-disk.ts';

const restMillis = 10_000;
const gigabyte = 1024 ** 3;
/** Less than this, or than a tenth of a small disk, is told before writes fail. */
const fewBytes = gigabyte;
const fewShare = 0.1;
/** More than fits beside the name of a file in what the file system has set aside for it. */
const trialBytes = 64 * 1024;

/** As a part of the answer of `/readyz`. */
interface DiskState {
  ready: boolean;
  detail?: string;
}

interface Disk {
  /** The setting by which the operator knows it: the answer is read by everybody, so it has no path. */
  name: string;
  directory: string;
}

/** Images lie in the bucket, if there is one. */
export function disksOf(
  settings: Pick<Settings, 'BALLAST_HOME' | 'REGISTRY_DIRECTORY' | 'REGISTRY_S3_BUCKET'>,
): Disk[] {
  const { BALLAST_HOME, REGISTRY_DIRECTORY, REGISTRY_S3_BUCKET } = settings;
  const home = { name: 'BALLAST_HOME', directory: BALLAST_HOME };
  if (REGISTRY_S3_BUCKET !== undefined) return [home];
  return [home, { name: 'REGISTRY_DIRECTORY', directory: REGISTRY_DIRECTORY }];
}

/** The disks that this process writes to. What was found holds for ten seconds; a full one is tried again. */
export class Disks {
  readonly #disks: readonly Disk[];
  readonly #trial: string;
  #found: { until: number; part: DiskState } | undefined;

  constructor(disks: readonly Disk[], processId: string) {
    this.#disks = disks;
    this.#trial = `.room-${processId}`;
  }

  async look(): Promise<DiskState> {
    if (this.#found !== undefined && performance.now() < this.#found.until) return this.#found.part;
    const said = await Promise.all(this.#disks.map((disk) => this.#lookAt(disk)));
    const full = said.filter((one) => one?.full === true);
    const worth = full.length > 0 ? full : said;
    const detail = worth.flatMap((one) => (one === undefined ? [] : [one.sentence])).join(' ');
    const part = { ready: full.length === 0, ...(detail === '' ? {} : { detail }) };
    this.#found = { part, until: performance.now() + (part.ready ? restMillis : 1_000) };
    return part;
  }

  async #lookAt({ name, directory }: Disk): Promise<{ full: boolean; sentence: string } | undefined> {
    const trial = join(directory, this.#trial);
    try {
      await writeFile(trial, Buffer.alloc(trialBytes, 1), { mode: 0o600 });
      await rm(trial);
    } catch (error) {
      await rm(trial, { force: true }).catch(() => undefined);
      // One that is read-only, or that is not there yet, is not written to by this process.
      if (fullDisk(error) === undefined) return undefined;
      const sentence = `The disk of ${name} is full, and writes fail; free space on it, and all goes on by itself.`;
      return { full: true, sentence };
    }
    const { bavail, blocks, bsize } = await statfs(directory);
    const [free, size] = [bavail * bsize, blocks * bsize];
    if (free >= Math.min(fewBytes, size * fewShare)) return undefined;
    const megabytes = Math.floor(free / 1024 ** 2);
    return {
      full: false,
      sentence: `The disk of ${name} has ${megabytes} MB left; free space on it before it is full.`,
    };
  }
}
