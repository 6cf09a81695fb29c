import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { digest } from '../../protocol/workload.ts';
import { crashes } from './observe/crash-loop.ts';
import type { DesiredSlice } from './observe/seen.ts';
import { processKey, scheduleKey } from './plan/keys.ts';
import type { Schedule } from './plan/plan-cron.ts';

const remembered = z.object({
  /** In milliseconds: since when it is ready or is not; `ready` names the run in which it is. */
  since: z.number(),
  ready: z.int().optional(),
  /** Since when its end is decided. */
  retired: z.number().optional(),
  crashes: crashes.optional(),
});
export type Remembered = z.infer<typeof remembered>;

/** The image that a layout stood for at this revision of its slice. */
const pinnedLayout = z.object({ revision: z.int(), digest });
export type PinnedLayout = z.infer<typeof pinnedLayout>;

const content = z.object({
  instances: z.record(z.string(), remembered),
  schedules: z.record(z.string(), z.object({ from: z.number(), skipped: z.number().optional() })),
  restarts: z.record(z.string(), z.string()),
  /** Restarts that were asked for, the newest last: each is done once. */
  tokens: z.array(z.string()),
  applied: z.record(z.string(), z.int()),
  layouts: z.record(z.string(), pinnedLayout).default({}),
});

const keptTokens = 1000;

/**
 * State that the machine itself does not show. Losing it is harmless: running instances then count as ready until their
 * checks say otherwise, and retirements are decided again.
 */
export class Memory {
  readonly #path: string;
  #saved = '';
  /** False until something was remembered on this machine. */
  isKnown = false;
  instances = new Map<string, Remembered>();
  schedules = new Map<string, Schedule>();
  restarts = new Map<string, string>();
  tokens: string[] = [];
  applied = new Map<string, number>();
  layouts = new Map<string, PinnedLayout>();

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  }

  load(): void {
    let found: z.infer<typeof content>;
    try {
      found = content.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      return;
    }
    this.isKnown = true;
    this.instances = new Map(Object.entries(found.instances));
    this.schedules = new Map(
      Object.entries(found.schedules).map(([name, { from, skipped }]) => [
        name,
        skipped === undefined ? { from } : { from, skipped },
      ]),
    );
    this.restarts = new Map(Object.entries(found.restarts));
    this.tokens = found.tokens;
    this.applied = new Map(Object.entries(found.applied));
    this.layouts = new Map(Object.entries(found.layouts));
  }

  /** Notes schedules that are new, and forgets what belongs to slices and processes that are not wanted any more. */
  keepFor(slices: readonly DesiredSlice[], now: number): void {
    const schedules = new Set<string>();
    const processes = new Set<string>();
    for (const { key, workload } of slices) {
      for (const process of workload?.processes ?? []) {
        processes.add(processKey(key, process.name));
        if (process.kind === 'cron') schedules.add(scheduleKey(key, process));
      }
    }
    for (const name of schedules) if (!this.schedules.has(name)) this.schedules.set(name, { from: now });
    for (const name of this.schedules.keys()) if (!schedules.has(name)) this.schedules.delete(name);
    for (const name of this.restarts.keys()) if (!processes.has(name)) this.restarts.delete(name);
    const keys = new Set(slices.map(({ key }) => key));
    for (const key of this.applied.keys()) if (!keys.has(key)) this.applied.delete(key);
    for (const key of this.layouts.keys()) if (!keys.has(key)) this.layouts.delete(key);
  }

  /** Before anything is done that rests on it. Costs nothing when nothing changed. */
  save(): void {
    this.tokens = this.tokens.slice(-keptTokens);
    const text = JSON.stringify({
      instances: Object.fromEntries(this.instances),
      schedules: Object.fromEntries(this.schedules),
      restarts: Object.fromEntries(this.restarts),
      tokens: this.tokens,
      applied: Object.fromEntries(this.applied),
      layouts: Object.fromEntries(this.layouts),
    });
    if (text === this.#saved) return;
    writeFileAtomically(this.#path, text);
    this.#saved = text;
    this.isKnown = true;
  }
}
