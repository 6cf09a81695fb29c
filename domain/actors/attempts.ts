import type { ActorInput } from './actor-descriptor.ts';

/** The part of an input that says when the next attempt is due: a time as ISO 8601, or null for one that waits for a message. */
export interface AttemptsInput extends ActorInput {
  dueAt?: string | null;
}

/** What the row says after an attempt. */
export interface AttemptSays<State extends string> {
  state: State;
  revision: number;
  /** Until the next one; null: not before a message. */
  waitMillis: number | null;
}
