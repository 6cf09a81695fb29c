import type { BuildProgress } from '../../protocol/build.ts';
import type { BuildLog } from './log/build-log.ts';
import { StepFailed } from './step-failed.ts';

type Told = NonNullable<BuildProgress['steps']>[number];

/** The steps of a build, each told when it begins and when it ends: all of them, with their times. */
export class Steps {
  readonly #log: BuildLog;
  readonly #told: (progress: BuildProgress) => void;
  readonly #signal: AbortSignal;
  readonly #steps: Told[] = [];
  #inner: { at: number; steps: readonly Told[] } = { at: 0, steps: [] };

  constructor(log: BuildLog, signal: AbortSignal, told: (progress: BuildProgress) => void) {
    this.#log = log;
    this.#signal = signal;
    this.#told = told;
  }

  /** Runs one, headed in the log. A failure names it. */
  async run<T>(name: string, detail: string, work: () => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted();
    const step: Told = { name, status: 'running', startedAt: new Date().toISOString() };
    this.#steps.push(step);
    this.#log.beginStep();
    this.#log.say(detail === '' ? `==> ${name}` : `==> ${name}: ${detail}`);
    this.#tell();
    try {
      const done = await work();
      this.#signal.throwIfAborted();
      this.#end(step, 'succeeded');
      return done;
    } catch (error) {
      const last = this.#end(step, this.#signal.aborted ? 'cancelled' : 'failed');
      throw StepFailed.of(name, error, last);
    }
  }

  /** Parts of the present step that the builder's engine runs, several at once. */
  parts(steps: readonly Told[]): void {
    const at = this.#inner.steps.length === 0 ? this.#steps.length : this.#inner.at;
    this.#inner = { at, steps };
    this.#tell();
  }

  #end(step: Told, status: Told['status']): string[] {
    const last = this.#log.endStep();
    step.status = status;
    step.finishedAt = new Date().toISOString();
    this.#tell();
    return last;
  }

  #tell(): void {
    this.#log.flush();
    const { at, steps } = this.#inner;
    this.#told({ steps: this.#steps.toSpliced(at, 0, ...steps).map((step) => ({ ...step })) });
  }
}
