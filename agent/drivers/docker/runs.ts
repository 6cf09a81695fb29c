import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defined } from '../../../domain/defined.ts';
import { writeFileAtomically } from '../../../machine/files.ts';
import { mostRuns } from '../../../protocol/logs.ts';
import type { Exit } from '../driver.ts';

const exit = z.object({
  run: z.int(),
  code: z.int().optional(),
  signal: z.string().optional(),
  at: z.iso.datetime().pipe(z.coerce.date()),
  outOfMemory: z.literal(true).optional(),
});
const past = z.object({ run: z.int(), startedAt: z.string().optional(), exit: exit.optional() });
const record = past.extend({ before: z.array(past).optional() });
type Record = z.infer<typeof record>;

export interface Past {
  run: number;
  startedAt?: string;
  exit?: Exit;
}

/** A container's state, as the engine reports it. */
export interface State {
  Status: string;
  ExitCode: number;
  OOMKilled: boolean;
  StartedAt: string;
  FinishedAt: string;
}

export interface Runs {
  run: number;
  exit?: Exit;
}

/**
 * An engine knows a container's last start and last end, and counts nothing. Here is kept which run that start was:
 * another start than the one that is written down is one run more, whoever made it and whoever was killed meanwhile.
 */
export class RunBook {
  readonly #directory: string;
  readonly #known = new Map<string, Record>();

  constructor(home: string) {
    this.#directory = join(home, 'docker', 'runs');
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  /** To be called with what is looked at one after the other, or an old look would count as another start. */
  observe(id: string, state: State): Runs {
    const before = this.#read(id);
    let now = before;
    if (isTime(state.StartedAt) && state.StartedAt !== now.startedAt) {
      const { before = [], ...last } = now;
      const history = last.run === 0 ? before : [...before, last].slice(1 - mostRuns);
      now = { run: last.run + 1, startedAt: state.StartedAt, before: history, ...(last.exit && { exit: last.exit }) };
    }
    if (now.run > 0 && hasEnded(state) && now.exit?.run !== now.run) now = { ...now, exit: exitOf(now.run, state) };
    if (now !== before) {
      writeFileAtomically(this.#path(id), JSON.stringify(now));
      this.#known.set(id, now);
    }
    return { run: now.run, ...(now.exit === undefined ? {} : { exit: plain(now.exit) }) };
  }

  /** All runs that are known, oldest first. */
  all(id: string): Past[] {
    const { before = [], ...last } = this.#read(id);
    return [...before, last]
      .filter(({ run }) => run > 0)
      .map(({ run, startedAt, exit }) => ({
        run,
        ...defined({ startedAt }),
        // One that runs has the exit of the run before.
        ...(exit?.run === run ? { exit: plain(exit) } : {}),
      }));
  }

  forget(id: string): void {
    this.#known.delete(id);
    rmSync(this.#path(id), { force: true });
  }

  #read(id: string): Record {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    try {
      const read = record.parse(JSON.parse(readFileSync(this.#path(id), 'utf8')));
      this.#known.set(id, read);
      return read;
    } catch {
      // Never written, or damaged: counting begins again, which nothing but a number depends on.
      return { run: 0 };
    }
  }

  #path(id: string): string {
    return join(this.#directory, `${id}.json`);
  }
}

export function hasEnded({ Status }: State): boolean {
  return Status === 'exited' || Status === 'dead';
}

/** Engines write the year 1 for never. */
export function isTime(text: string): boolean {
  return !text.startsWith('0001-');
}

function exitOf(run: number, state: State): z.infer<typeof exit> {
  const seen = isTime(state.FinishedAt);
  const signal = state.ExitCode > 128 ? signalNamed(state.ExitCode - 128) : undefined;
  return {
    run,
    at: seen ? new Date(state.FinishedAt) : new Date(),
    ...(seen ? { code: state.ExitCode } : {}),
    ...(seen && signal !== undefined ? { signal } : {}),
    ...(state.OOMKilled ? { outOfMemory: true as const } : {}),
  };
}

function signalNamed(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

function plain({ run, at, ...how }: z.infer<typeof exit>): Exit {
  return { run, at, ...defined(how) };
}
