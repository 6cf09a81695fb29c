import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { sliceKey } from '../../protocol/desired.ts';
import { type RolloutRecord, rolloutRecord } from './plan/rollout-record.ts';

const content = z.object({ key: sliceKey, record: rolloutRecord });

/** The rollouts of this machine's slices, a file each: they hold whole workloads, and most of them rarely change. */
export class RolloutFiles {
  readonly #directory: string;
  readonly #saved = new Map<string, string>();
  readonly #damaged = new Set<string>();
  records: ReadonlyMap<string, RolloutRecord> = new Map();

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** Names the files that cannot be read: what their slices ran before is not known any more. */
  load(): string[] {
    const damaged: string[] = [];
    const records = new Map<string, RolloutRecord>();
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (!/^[0-9a-f]{32}\.json$/.test(name)) {
        rmSync(path, { force: true });
        continue;
      }
      try {
        const text = readFileSync(path, 'utf8');
        const { key, record } = content.parse(JSON.parse(text));
        records.set(key, record);
        this.#saved.set(key, text);
      } catch {
        damaged.push(path);
        this.#damaged.add(path);
      }
    }
    this.records = records;
    return damaged;
  }

  /** On disk before anything is done that rests on it. True if something other than a number of ready instances changed. */
  save(records: ReadonlyMap<string, RolloutRecord>): boolean {
    let changed = false;
    for (const [key, record] of records) {
      if (this.records.get(key) === record) continue;
      const { progress: _, ...kept } = record;
      const text = JSON.stringify({ key, record: kept });
      if (this.#saved.get(key) === text) continue;
      writeFileAtomically(this.#path(key), text);
      this.#saved.set(key, text);
      changed = true;
    }
    for (const key of this.#saved.keys()) {
      if (records.has(key)) continue;
      rmSync(this.#path(key), { force: true });
      this.#saved.delete(key);
    }
    this.records = records;
    return changed;
  }

  /** Its record could not be read: nobody knows what was begun. */
  isForgotten(key: string): boolean {
    return this.#damaged.has(this.#path(key));
  }

  /** Digests of images from which instances may have to be made again. */
  *images(): Iterable<string> {
    for (const { base } of this.records.values()) if (base?.image.digest !== undefined) yield base.image.digest;
  }

  #path(key: string): string {
    return join(this.#directory, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }
}
