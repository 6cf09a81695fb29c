export interface RunEnd {
  instance: string;
  run: number;
  startedAt?: string;
  exit: { at: string; code?: number; signal?: string; outOfMemory?: true };
  /** When it ended, for the order among lines. */
  at: string;
}

/** Which ends of runs stand between the lines of an instance: a stream tells all runs in front of its first line. */
export class Borders {
  #hasLine = false;
  #ended = 0;
  #lead: RunEnd | undefined;

  line(): void {
    this.#hasLine = true;
    this.#lead = undefined;
  }

  /** Whether to print it now. A stream that is opened again tells of it once more. */
  end(end: RunEnd): boolean {
    if (end.run <= this.#ended) return false;
    this.#ended = end.run;
    if (!this.#hasLine) this.#lead = end;
    return this.#hasLine;
  }

  /** Of an instance that wrote nothing: how its last run ended. */
  get rest(): RunEnd | undefined {
    return this.#lead;
  }
}

/** "--- run 4 exited with code 1 after 2.3 s". */
export function borderText({ run, startedAt, exit: { at, code, signal, outOfMemory } }: RunEnd): string {
  const seconds = startedAt === undefined ? undefined : Math.max(0, Date.parse(at) - Date.parse(startedAt)) / 1_000;
  const after = seconds === undefined ? '' : ` after ${seconds.toFixed(1)} s`;
  if (outOfMemory) return `--- run ${run} killed for exceeding its memory limit${after}`;
  if (signal !== undefined) return `--- run ${run} ended by ${signal}${after}`;
  if (code === undefined) return `--- run ${run} ended, nobody saw how${after}`;
  return `--- run ${run} exited with code ${code}${after}`;
}
