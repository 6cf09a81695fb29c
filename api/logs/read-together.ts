/** So many wait for the reader. */
const room = 256;

/**
 * Several sources as one, each no faster than it is read. Sources may be added as long as their own list has not ended. A
 * source that fails ends with what `failed` makes of that.
 */
export async function* readTogether<Told>(
  sources: Iterable<AsyncIterable<Told>> | AsyncIterable<AsyncIterable<Told>>,
  failed: (source: number, error: unknown) => Told,
): AsyncGenerator<Told, void, undefined> {
  const waiting: Told[] = [];
  let open = 1;
  let left = false;
  let wake = () => {};
  let drained: (() => void)[] = [];
  const close = () => {
    open -= 1;
    wake();
  };
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
      close();
    }
  };
  const pumpAll = async () => {
    let index = 0;
    for await (const source of sources) {
      if (left) return;
      open += 1;
      void pump(source, index);
      index += 1;
    }
  };
  let broken: { error: unknown } | undefined;
  void pumpAll()
    .catch((error: unknown) => {
      broken = { error };
    })
    .finally(close);
  try {
    for (;;) {
      const taken = waiting.splice(0);
      for (const waiter of drained) waiter();
      drained = [];
      yield* taken;
      if (broken !== undefined) throw broken.error;
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
