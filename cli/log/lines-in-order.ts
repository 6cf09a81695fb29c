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
