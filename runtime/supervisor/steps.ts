/** One thing that a start does, and what must be done before it. */
export interface Step<Name extends string> {
  needs: readonly NoInfer<Name>[];
  run: () => Promise<void> | void;
}

/**
 * Begins each step in the moment in which all that it needs is done, those that need nothing of each other side by side. The
 * first failure is thrown, and nothing begins after it or after the signal.
 */
export async function runSteps<Name extends string>(
  steps: Readonly<Record<Name, Step<Name>>>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const going = AbortSignal.any([signal, failed.signal]);
  const begun = new Map<Name, Promise<void>>();
  const finish = (name: Name, path: readonly Name[]): Promise<void> => {
    if (path.includes(name)) throw new Error(`Steps need each other: ${[...path, name].join(' → ')}.`);
    const already = begun.get(name);
    if (already) return already;
    const needs = steps[name].needs.map((needed) => finish(needed, [...path, name]));
    const done = Promise.all(needs).then(async () => {
      going.throwIfAborted();
      await steps[name].run();
    });
    begun.set(name, done);
    return done;
  };
  const names = Object.keys(steps) as Name[];
  const all = names.map((name) => finish(name, []));
  // Steps that waited for the failed one add no error of their own.
  for (const one of all) one.catch(() => failed.abort());
  await Promise.all(all);
}
