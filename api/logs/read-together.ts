/** So many wait for the reader. */
const room = 256;

/** Several sources as one, each no faster than it is read. A source that fails ends with what `failed` makes of that. */
export async function* readTogether<Told>(
  sources: readonly AsyncIterable<Told>[],
  failed: (source: number, error: unknown) => Told,
): AsyncGenerator<Told, void, undefined> {
  const waiting: Told[] = [];
  let open = sources.length;
  let left = false;
  let wake = () => {};
  let drained: (() => void)[] = [];
  const pump = async (source: AsyncIterable<Told>, index: number) => {
    try {
      for await (const told of source) {
        if (left) return;
        waiting.push(told);
        wake();
        while (waiting.length >= room && !left) await new Promise<void>((resolve) => drained.push(resolve));
      }
    } catch (error) {
      waiting.push(failed(index, error));
    } finally {
      open -= 1;
      wake();
    }
  };
  for (const [index, source] of sources.entries()) void pump(source, index);
  try {
    for (;;) {
      const taken = waiting.splice(0);
      for (const waiter of drained) waiter();
      drained = [];
      yield* taken;
      if (waiting.length > 0 || taken.length > 0) continue;
      if (open === 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    left = true;
    for (const waiter of drained) waiter();
  }
}
