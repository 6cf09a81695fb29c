import type { Observed } from '../../protocol/observed.ts';

const together = 200;

/** Says that something changed, once for what changes together. Numbers that change all the time are no news. */
export class News {
  readonly #listeners = new Set<() => void>();
  #told = '';
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
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      for (const listener of this.#listeners) listener();
    }, together);
  }

  close(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#listeners.clear();
  }
}
