/** Does the work for each, so many at once. It has ended for all that it began when this answers; after a failure none is begun. */
export async function severalAtOnce<T>(
  atOnce: number,
  things: Iterable<T>,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const left = things[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    for (let next = left.next(); !next.done && !failed; next = left.next()) {
      await work(next.value).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const first = ends.find((end) => end.status === 'rejected');
  if (first !== undefined) throw first.reason;
}
