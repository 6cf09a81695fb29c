import type { HistoryEvent, HistoryStep } from './step.ts';
import type { Said } from './words.ts';

interface Cause {
  step: HistoryStep;
  /** The event that the actor heard of. */
  event: number;
  /** The state that it leads to, as far as it alone can tell. */
  state: string | undefined;
}

/**
 * The messages, decisions, deadlines and deeds whose consequence is not written down yet. The step that writes it down is
 * told as a part of its cause: people read each thing once.
 */
export class Causes {
  #open: Cause[] = [];
  #task = 0;
  #idle = false;

  add(step: HistoryStep, event: HistoryEvent, state?: string): void {
    this.#open.push({ step, event: event.id, state });
  }

  /**
   * The actor looks at all that has come. A look at which it was not busy, and after which it did nothing, has left nothing
   * to be written down.
   */
  look(event: HistoryEvent, busy: boolean): void {
    if (this.#idle) this.#open = this.#open.filter(({ event: heard }) => heard > this.#task);
    this.#task = event.id;
    this.#idle = !busy;
  }

  act(): void {
    this.#idle = false;
  }

  /** Tells the step as a part of its cause, and answers whether there is one. `said`: the words of the record. */
  fold(record: HistoryStep, { state, detail = '' }: Said): boolean {
    const begun = record.events[0] ?? 0;
    const before = this.#open.filter(({ event }) => event < begun);
    const cause = before.findLast((one) => one.state === state) ?? before.at(-1);
    if (cause === undefined) return false;
    this.#open = this.#open.filter((one) => one !== cause);
    const { step } = cause;
    step.events.push(...record.events);
    if (state !== undefined) step.state = state;
    if (step.detail === '' && detail !== `${step.title}.`) step.detail = detail;
    if (step.kind === 'heard' || step.kind === 'decided') {
      if (record.finishedAt !== undefined) step.finishedAt = record.finishedAt;
    }
    if (record.attempts > step.attempts) step.attempts = record.attempts;
    if (step.failure === '') step.failure = record.failure;
    if (step.outcome === 'done') step.outcome = record.outcome;
    return true;
  }
}
