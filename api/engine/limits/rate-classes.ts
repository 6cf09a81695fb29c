import type { RateClass } from '../definition.ts';

/** Requests a minute with one credential, or without any from one client address, for operations that are dear or dangerous when repeated. */
export const rateClasses: Readonly<Record<RateClass, number>> = {
  /** Requests that create or try secrets. */
  credentials: 60,
  /** A person who types sends a few a second; a program that lists should list. */
  searches: 240,
  /** Deletions are rarely meant more than a few times. */
  deletions: 120,
};
