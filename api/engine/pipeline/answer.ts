/** What an operation answers, before a transport gives it its form. */
export interface Answer {
  status: number;
  /** Undefined: the answer is empty. */
  value: unknown;
  /** It is the answer of an earlier request with the same `Idempotency-Key`. */
  replayed?: true;
}
