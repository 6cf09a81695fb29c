import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { temporalVersion } from '../../runtime/supervisor/versions.ts';
import { officialArchive } from '../../runtime/temporal-server/temporal-archive.ts';
import { findTemporal, type TemporalBinaries } from '../../runtime/temporal-server/temporal-binary.ts';

export interface Wanted {
  archive?: string;
  env?: Record<string, string>;
  limits?: { bytes?: number; idleMilliseconds?: number };
  /** SHA-256 that is known of the official archive. */
  known?: string;
}

/** The search for a Temporal server on a machine that has none: an empty home, no Go, and what is said of the steps. */
export class TemporalSearch {
  readonly directory = mkdtempSync(join(tmpdir(), 'ballast-archive-'));
  readonly said: string[] = [];

  find({ archive, env = {}, limits, known }: Wanted): Promise<TemporalBinaries> {
    return findTemporal({
      explicit: undefined,
      archive,
      progress: (text) => this.said.push(text),
      buildLog: join(this.directory, 'build.log'),
      env: { PATH: this.directory, HOME: this.directory, ...env },
      goDirectories: [],
      ...(limits ? { limits } : {}),
      ...(known ? { pinned: { [temporalVersion]: { [basename(officialArchive())]: known } } } : {}),
    });
  }

  /** The content of the cache, apart from the lock. */
  kept(): string[] {
    const cache = join(this.directory, '.cache', 'ballast');
    return existsSync(cache) ? readdirSync(cache).filter((name) => !name.includes('.lock')) : [];
  }

  close(): void {
    rmSync(this.directory, { recursive: true });
  }
}
