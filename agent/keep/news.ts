import type { Observed } from '../../protocol/observed.ts';

/** News is told at once, and what comes within so long after it together. */
export const gatherMillis = 100;

/** Says that something changed. Numbers that change all the time are no news. */
export class News {
  readonly #listeners = new Set<() => void>();
  #told = '';
  #toldAt = Number.NEGATIVE_INFINITY;
  #telling: NodeJS.Timeout | undefined;

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell({ slices, ...rest }: Observed): void {
    const facts = slices.map((slice) => [
      slice.key,
      slice.appliedRevision,
      slice.revision,
      slice.crashLoops,
      slice.error,
      slice.rollout,
      slice.instances,
      slice.volumes,
    ]);
    const text = JSON.stringify([rest, facts], (name, value) => (name === 'memoryBytes' ? undefined : value));
    if (text === this.#told) return;
    this.#told = text;
    const pause = Math.max(0, this.#toldAt + gatherMillis - performance.now());
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#toldAt = performance.now();
      for (const listener of this.#listeners) listener();
    }, pause);
  }

  close(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#listeners.clear();
  }
}
