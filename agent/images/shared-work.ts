interface Going<T> {
  result: Promise<T>;
  waiting: number;
  stopping: AbortController;
}

/** Work that several ask for at the same time is done once, and stopped when nobody waits for it any more. */
export class SharedWork<T> {
  readonly #going = new Map<string, Going<T>>();

  async share(key: string, signal: AbortSignal, begin: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const work = this.#going.get(key) ?? this.#begin(key, begin);
    work.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
    });
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([work.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      work.waiting -= 1;
      if (work.waiting === 0) {
        this.#forget(key, work);
        work.stopping.abort(signal.reason);
        // A caller that sees the failure may rely on the work having stopped.
        await work.result.catch(() => {});
      }
    }
  }

  #begin(key: string, begin: (signal: AbortSignal) => Promise<T>): Going<T> {
    const stopping = new AbortController();
    const work = { result: begin(stopping.signal), waiting: 0, stopping };
    this.#going.set(key, work);
    const forget = () => this.#forget(key, work);
    work.result.then(forget, forget);
    return work;
  }

  #forget(key: string, work: Going<T>): void {
    if (this.#going.get(key) === work) this.#going.delete(key);
  }
}
