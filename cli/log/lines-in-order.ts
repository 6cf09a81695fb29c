interface Timed {
  instance: string;
  at?: string;
}

/** Live lines of several instances come by ways of their own: so long one waits for others that may be older. */
const patience = 400;

/**
 * Reads several sources, so many at once, and passes their lines on by time. Lines of one source keep their order, also
 * where its clock went back.
 */
export async function inOrder<Line extends Timed>(
  { ids, atOnce, live }: { ids: readonly string[]; atOnce: number; live: boolean },
  read: (id: string, add: (line: Line) => void) => Promise<void>,
  print: (line: Line) => void,
): Promise<void> {
  const waiting: { line: Line; time: number; came: number }[] = [];
  const latest = new Map<string, number>();
  const add = (line: Line) => {
    const before = latest.get(line.instance) ?? Number.NEGATIVE_INFINITY;
    const at = line.at === undefined ? before : Date.parse(line.at);
    const time = Math.max(before, at);
    latest.set(line.instance, time);
    if (ids.length === 1) print(line);
    else waiting.push({ line, time, came: Date.now() });
  };
  const flush = (until: number) => {
    waiting.sort((one, other) => one.time - other.time);
    // Lines that have waited long enough are printed, and with them all older ones.
    const last = waiting.findLastIndex(({ came }) => came <= until);
    for (const { line } of waiting.splice(0, last + 1)) print(line);
  };
  const timer = live ? setInterval(() => flush(Date.now() - patience), patience / 4) : undefined;
  try {
    const rest = [...ids];
    const reader = async () => {
      for (let id = rest.shift(); id !== undefined; id = rest.shift()) await read(id, add);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, reader));
  } finally {
    clearInterval(timer);
    flush(Number.POSITIVE_INFINITY);
  }
}
