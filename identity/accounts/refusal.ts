/** Why something a person entered is not taken: a sentence, and the field that it stands beside. */
export class Refusal extends Error {
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(sentence: string, more: { field?: string; retryAfterSeconds?: number } = {}) {
    super(sentence);
    this.name = 'Refusal';
    this.field = more.field;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
