/** The answer of an operation, before a transport gives it its form. */
export interface Answer {
  status: number;
  /** Undefined: the answer is empty. */
  value: unknown;
  /** Set for the stored answer of an earlier request with the same `Idempotency-Key`. */
  replayed?: true;
}
