import { Interrupted, interruptedCode } from '../engine/interrupted.ts';
import { RestRefusal } from '../engine/rest.ts';

/**
 * Ctrl-C while a deployment is prepared: work that can be given up is, its drafts are removed, and what that leaves is told. A
 * second one ends the command at once. Where it comes to nothing, by Ctrl-C or a refusal, what was prepared is taken back.
 */
export class Interrupt {
  readonly stop = new AbortController();
  #leaves = 'Nothing was created or deployed.';
  #undo: (() => Promise<unknown>)[] = [];
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

  /** How a step is taken back if nothing comes of the deployment. */
  undoneBy(step: () => Promise<unknown>): void {
    this.#undo.push(step);
  }

  /** Something was applied: nothing of it is taken back any more. */
  applied(): void {
    this.#undo = [];
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
      await this.#takeBack();
      process.removeListener('SIGINT', this.#press);
    }
  }

  async #takeBack(): Promise<void> {
    for (const step of this.#undo.toReversed()) {
      await step().catch((error: unknown) => {
        if (!(error instanceof RestRefusal)) throw error;
        // A thing that is not there any more needs nothing to be done.
        if (error.status === 404 || error.status === 409) return;
        process.stderr.write(
          `Not everything was taken back: ${error.message} \`./ballast discard\` discards what is staged.\n`,
        );
      });
    }
  }

  #told(): Interrupted {
    return new Interrupted(`Interrupted. ${this.#leaves}`);
  }
}
