import type { Driver } from '../../drivers/driver.ts';

const most = 20;
const longest = 2_000;
const patience = 3_000;

/** The last lines of instances that failed, read once each, before anything of them is removed. */
export class LastLines {
  readonly #driver: Driver;
  readonly #onChange: () => void;
  readonly #known = new Map<string, readonly string[]>();
  readonly #reading = new Set<string>();

  constructor(driver: Driver, onChange: () => void) {
    this.#driver = driver;
    this.#onChange = onChange;
  }

  of(instance: string): readonly string[] | undefined {
    return this.#known.get(instance);
  }

  /** Reads those that are not known yet, and forgets those that nobody asks for any more. */
  read(instances: readonly string[]): void {
    for (const id of this.#known.keys()) if (!instances.includes(id)) this.#known.delete(id);
    for (const id of instances) {
      if (this.#known.has(id) || this.#reading.has(id)) continue;
      this.#reading.add(id);
      this.#read(id)
        // A log that cannot be read is no reason to go on with what failed.
        .catch(() => [])
        .then((lines) => {
          this.#known.set(id, lines);
          this.#reading.delete(id);
          this.#onChange();
        });
    }
  }

  async #read(id: string): Promise<string[]> {
    const lines: { at: number; text: string }[] = [];
    const signal = AbortSignal.timeout(patience);
    try {
      for await (const news of this.#driver.logs(id, { start: { tail: most }, follow: false, signal })) {
        if (!('bytes' in news)) continue;
        const texts = news.bytes.toString('utf8').replace(/\n$/, '').split('\n');
        for (const text of texts) lines.push({ at: news.at.getTime(), text });
      }
    } catch (error) {
      if (lines.length === 0) throw error;
    }
    return lines
      .sort((one, other) => one.at - other.at)
      .slice(-most)
      .map(({ text }) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text));
  }
}
