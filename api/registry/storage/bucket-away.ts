import type { Logger } from 'pino';
import { Problem } from '../../../domain/problems.ts';
import { S3Failed } from '../../../outbound/s3/s3-failures.ts';

/** Between two lines in the log on the same outage. */
const silenceMillis = 10_000;

/** The answer to clients when the bucket fails; the reason, for operators, goes to the log. */
export class BucketWatch {
  readonly #log: Logger;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The failure as the API answers it: of the bucket `unavailable`, any other as it is. */
  failure(error: unknown): unknown {
    if (!(error instanceof S3Failed)) return error;
    if (performance.now() - this.#toldAt >= silenceMillis) {
      this.#toldAt = performance.now();
      this.#log.warn({ reason: error.reason }, error.message);
    }
    return new Problem(
      'unavailable',
      'The storage of the registry cannot be reached at the moment; try again in a few seconds.',
      { retryAfterSeconds: 5 },
    );
  }
}
