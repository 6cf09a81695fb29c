/** Runs the task when there is room for it. */
export type Gate = <T>(task: () => Promise<T>) => Promise<T>;

/** Lets only so many tasks run at once; the others wait in line. */
export function openGate(width: number): Gate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async (task) => {
    if (inside >= width) await new Promise<void>((admit) => waiting.push(admit));
    else inside += 1;
    try {
      return await task();
    } finally {
      // The next waiter takes over this place, so nobody can slip in between.
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
