import { LostConnection, type Rest } from '../engine/rest.ts';
import { said } from '../engine/table.ts';

export interface RunEnd {
  instance: string;
  run: number;
  startedAt?: string;
  exit: { at: string; code?: number; signal?: string; outOfMemory?: true };
  /** When it ended, for the order among lines. */
  at: string;
}

/** Which ends of runs stand between the lines of an instance: a stream tells all runs in front of its first line. */
class Borders {
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

interface Timed {
  instance: string;
  at?: string;
}

/** Live lines of several instances come by ways of their own: so long one waits for others that may be older. */
const patience = 400;

/** Passes the lines of several instances on by time. Lines of one instance keep their order, also where its clock went back. */
export class LinesInOrder<Line extends Timed> {
  readonly #print: (line: Line) => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #latest = new Map<string, number>();
  #waiting: { line: Line; time: number; came: number }[] = [];

  /** `live`: they come one by one, and wait a moment for others that may be older; otherwise for the end. */
  constructor(live: boolean, print: (line: Line) => void) {
    this.#print = print;
    this.#timer = live ? setInterval(() => this.#flush(Date.now() - patience), patience / 4) : undefined;
  }

  add(line: Line): void {
    const before = this.#latest.get(line.instance) ?? Number.NEGATIVE_INFINITY;
    const at = line.at === undefined ? before : Date.parse(line.at);
    const time = Math.max(before, at);
    this.#latest.set(line.instance, time);
    this.#waiting.push({ line, time, came: Date.now() });
  }

  end(): void {
    clearInterval(this.#timer);
    this.#flush(Number.POSITIVE_INFINITY);
  }

  #flush(until: number): void {
    this.#waiting.sort((one, other) => one.time - other.time);
    // Lines that have waited long enough are printed, and with them all older ones.
    const last = this.#waiting.findLastIndex(({ came }) => came <= until);
    for (const { line } of this.#waiting.splice(0, last + 1)) this.#print(line);
  }
}

/** Reads several sources, so many at once, and passes their lines on by time. */
export async function inOrder<Line extends Timed>(
  { ids, atOnce, live }: { ids: readonly string[]; atOnce: number; live: boolean },
  read: (id: string, add: (line: Line) => void) => Promise<void>,
  print: (line: Line) => void,
): Promise<void> {
  const lines = ids.length === 1 ? { add: print, end() {} } : new LinesInOrder(live, print);
  try {
    const rest = [...ids];
    const reader = async () => {
      for (let id = rest.shift(); id !== undefined; id = rest.shift()) await read(id, (line) => lines.add(line));
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, reader));
  } finally {
    lines.end();
  }
}

export interface LogLine {
  instance: string;
  stream: string;
  text: string;
  at?: string;
  run?: number;
}

interface LogRequest {
  rest: Rest;
  path: string;
  query: Record<string, string>;
  signal: AbortSignal;
}

/** Streams that end at once, one after the other, are not asked for more often than this. */
const againMillis = 1_000;

/**
 * Reads the log of one instance until it ends, or for as long as it is followed. A stream that is cut or closed is read on
 * behind its last event: no line is printed twice, and none is left out. Answers whether all of it was read; the reason
 * why not has been told then.
 */
export async function readLogs(
  { rest, path, query, signal }: LogRequest,
  id: string,
  add: (told: LogLine | RunEnd) => void,
): Promise<boolean> {
  const borders = new Borders();
  const place = `${path}/instances/${encodeURIComponent(id)}/logs/stream`;
  let asked = query;
  try {
    for (let opened = Date.now(); !signal.aborted; opened = Date.now()) {
      try {
        for await (const { event, data, id: last } of rest.events(`${place}?${new URLSearchParams(asked)}`, signal)) {
          if (last !== undefined && asked.after !== last) asked = { ...query, after: last };
          if (event === 'log') {
            borders.line();
            add({ instance: id, ...data } as LogLine);
          } else if (event === 'run') {
            const end = endOf(id, data);
            if (end !== undefined && borders.end(end)) add(end);
          }
          if (event === 'missing') say(said`${id}: ${missing(data)}`);
          else if (event === 'end') {
            if (borders.rest !== undefined) add(borders.rest);
            if (typeof data.message !== 'string' || data.message === '') return true;
            say(said`${id}: ${data.message}`);
            return false;
          }
        }
      } catch (error) {
        if (!(error instanceof LostConnection)) throw error;
        say(`${error.message.replace(/\.$/, '')}; the log is read on from there.`);
      }
      await new Promise((resolve) => setTimeout(resolve, opened + againMillis - Date.now()));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return true;
}

function endOf(instance: string, { run, startedAt, exit }: Record<string, unknown>): RunEnd | undefined {
  if (exit === undefined) return undefined;
  return { instance, run, startedAt, exit, at: (exit as RunEnd['exit']).at } as RunEnd;
}

function missing({ stream, from, to }: Record<string, unknown>): string {
  return `Lines of ${stream} are missing here (positions ${from} to ${to}): they were deleted before they could be read.`;
}

function say(message: string): void {
  process.stderr.write(`ballast: ${message}\n`);
}
