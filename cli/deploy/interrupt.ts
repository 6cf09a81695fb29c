import { Interrupted, interruptedCode } from '../engine/interrupted.ts';

/**
 * Ctrl-C while a deployment is prepared: work that can be given up is, its drafts are removed, and what that leaves is told. A
 * second one ends the command at once.
 */
export class Interrupt {
  readonly stop = new AbortController();
  #leaves = 'Nothing was created or deployed.';
  readonly #press = () => {
    if (this.stop.signal.aborted) {
      process.stderr.write(`\nballast: Interrupted. ${this.#leaves}\n`);
      process.exit(interruptedCode);
    }
    this.stop.abort();
  };

  constructor() {
    process.on('SIGINT', this.#press);
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** From here on Ctrl-C leaves this. */
  leaves(what: string): void {
    this.#leaves = what;
  }

  /** Ends the command if it was pressed. */
  check(): void {
    if (this.signal.aborted) throw this.#told();
  }

  /** The work, whose failure is Ctrl-C's if that was pressed meanwhile. */
  async around<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const pressed = this.signal.aborted || error instanceof Interrupted;
      throw pressed ? this.#told() : error;
    } finally {
      process.removeListener('SIGINT', this.#press);
    }
  }

  #told(): Interrupted {
    return new Interrupted(`Interrupted. ${this.#leaves}`);
  }
}
