import type { RateClass } from '../operation.ts';

/** Requests a minute with one credential, or without any from one client address, for operations that are dear or dangerous when repeated. */
export const rateClasses: Readonly<Record<RateClass, number>> = {
  /** What makes or tries secrets. */
  credentials: 60,
  /** What is rarely meant more than a few times. */
  deletions: 120,
};
