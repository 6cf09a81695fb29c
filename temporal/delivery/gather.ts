interface Gathering<Key, Answer> {
  /** How many tasks may run at once. */
  width: number;
  /** How many keys one task is given at most. */
  most: number;
  task(keys: readonly Key[]): Promise<ReadonlyMap<Key, Answer>>;
}

interface Call<Answer> {
  promise: Promise<Answer>;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Calls by key that come while others are under way are gathered, and done by one task: what is done for many costs
 * little more than for one. A call for a key that waits already gets the same answer.
 */
export function gather<Key, Answer>({ width, most, task }: Gathering<Key, Answer>): (key: Key) => Promise<Answer> {
  const waiting = new Map<Key, Call<Answer>>();
  let running = 0;

  async function work(): Promise<void> {
    // Calls of the same moment are done together.
    await Promise.resolve();
    while (waiting.size > 0) {
      const taken = [...waiting].slice(0, most);
      for (const [key] of taken) waiting.delete(key);
      try {
        const answers = await task(taken.map(([key]) => key));
        for (const [key, { resolve, reject }] of taken) {
          const answer = answers.get(key);
          if (answer === undefined) reject(new Error(`Nothing was answered for ${String(key)}.`));
          else resolve(answer);
        }
      } catch (error) {
        for (const [, { reject }] of taken) reject(error);
      }
    }
    running -= 1;
  }

  return (key) => {
    const call = waiting.get(key) ?? newCall<Answer>();
    waiting.set(key, call);
    if (running < width) {
      running += 1;
      void work();
    }
    return call.promise;
  };
}

function newCall<Answer>(): Call<Answer> {
  let settle: Omit<Call<Answer>, 'promise'> | undefined;
  const promise = new Promise<Answer>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error('A promise did not begin.');
  return { promise, ...settle };
}
