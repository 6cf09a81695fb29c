import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { type Desired, sliceKey } from '../../protocol/desired.ts';
import { workload } from '../../protocol/workload.ts';
import type { DesiredSlice } from './observe/seen.ts';

const content = z.object({
  revision: z.int().min(0),
  slices: z.array(
    z.object({
      key: sliceKey,
      revision: z.int().min(1),
      workload: workload.optional(),
      broken: z.string().optional(),
    }),
  ),
  /** Removed slices with the revision of their removal, until their last instance has ended. */
  removed: z.record(z.string(), z.int()).default({}),
});

/** The desired state on disk, so that it can be applied without the control plane. */
export class DesiredFile {
  readonly #path: string;
  revision = 0;
  slices: ReadonlyMap<string, DesiredSlice> = new Map();
  removed: ReadonlyMap<string, number> = new Map();

  constructor(path: string) {
    this.#path = path;
  }

  /** False before the first desired state: unknown, which differs from empty. */
  isKnown = false;

  /** Says why when there is a file that cannot be read. */
  load(): string | undefined {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      return `${this.#path} cannot be read, so everything is asked for again: ${String(error)}`;
    }
    try {
      const { revision, slices, removed } = content.parse(JSON.parse(text));
      this.revision = revision;
      this.slices = new Map(slices.map((slice) => [slice.key, slice]));
      this.removed = new Map(Object.entries(removed));
      this.isKnown = true;
      return undefined;
    } catch {
      return `${this.#path} is damaged, so everything is asked for again.`;
    }
  }

  /** The change is on disk before it has effects. With `since` 0, slices that are not named are removed. */
  merge(desired: Desired, since: number): void {
    if (since > 0 && (since > this.revision || !this.isKnown)) return;
    // A revision before ours: the control plane was restored to an older state, and has told everything it knows.
    const all = since === 0 || desired.revision < since;
    const slices = new Map(all ? [] : this.slices);
    for (const key of desired.removed) slices.delete(key);
    for (const slice of desired.slices) slices.set(slice.key, { ...slice });
    for (const { key, revision, error } of desired.broken) {
      // The last workload that was understood keeps running.
      slices.set(key, { key, revision, workload: this.slices.get(key)?.workload, broken: error });
    }
    const removed = new Map(this.removed);
    for (const key of this.slices.keys()) if (!slices.has(key)) removed.set(key, desired.revision);
    for (const key of slices.keys()) removed.delete(key);
    this.#save(Math.max(desired.revision, all ? 0 : this.revision), slices, removed);
  }

  /** Nothing of a removed slice is there any more. */
  forget(key: string): void {
    const removed = new Map(this.removed);
    if (removed.delete(key)) this.#save(this.revision, this.slices, removed);
  }

  #save(revision: number, slices: ReadonlyMap<string, DesiredSlice>, removed: ReadonlyMap<string, number>): void {
    const text = JSON.stringify({ revision, slices: [...slices.values()], removed: Object.fromEntries(removed) });
    writeFileAtomically(this.#path, text);
    this.revision = revision;
    this.slices = slices;
    this.removed = removed;
    this.isKnown = true;
  }
}
