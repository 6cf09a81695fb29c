import type { Kysely } from 'kysely';
import { takePermits } from '../../../db/engine/limits/leases.ts';
import { connectionFailure } from '../../../db/postgres/connection-failure.ts';
import type { Tables } from '../../../db/postgres/tables.ts';
import { Problem } from '../../../domain/problems.ts';
import { clientNetwork } from '../../../domain/sign-in/client-network.ts';
import type { RateState } from './rate-state.ts';

/** The permits of one client and one limit that this process holds for the current minute. */
interface Bucket {
  key: string;
  limit: number;
  /** May be spent without asking. */
  held: number;
  /** Left for everybody in this minute, as of the last time we asked. */
  remaining: number;
  /** The end of the minute, in milliseconds of `performance.now()`. */
  endsAt: number;
  /** Somebody is asking PostgreSQL right now. */
  asking: Promise<void> | undefined;
}

const mostBuckets = 20_000;
/** While PostgreSQL is away each process counts alone, a chunk at a time: what needs no database is still answered. */
const secondsAlone = 5;

/**
 * Counts requests by credential, or by client address where there is none. The limits hold across processes: each takes permits in chunks from PostgreSQL and
 * spends them in memory, so a client costs a statement every few dozen requests and not one each.
 */
export class RateLimiter {
  readonly #kysely: Kysely<Tables>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(kysely: Kysely<Tables>) {
    this.#kysely = kysely;
  }

  /**
   * Spends one permit of a credential, named by its id, or of a client address; throws the problem 429 when the
   * minute's are used up.
   */
  async spend(name: string, who: string, limit: number): Promise<RateState> {
    const bucket = this.#bucket(`${name} ${clientNetwork(who)}`, limit);
    while (bucket.held <= 0 || performance.now() >= bucket.endsAt) {
      if (performance.now() < bucket.endsAt && bucket.remaining <= 0) throw tooMany(name, bucket);
      bucket.asking ??= this.#ask(bucket).finally(() => {
        bucket.asking = undefined;
      });
      await bucket.asking;
    }
    bucket.held -= 1;
    return stateOf(name, bucket);
  }

  #bucket(key: string, limit: number): Bucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    if (this.#buckets.size >= mostBuckets) this.#forgetOldest();
    const bucket: Bucket = { key, limit, held: 0, remaining: limit, endsAt: 0, asking: undefined };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  async #ask(bucket: Bucket): Promise<void> {
    const chunk = Math.max(1, Math.floor(bucket.limit / 20));
    const permits = await takePermits(this.#kysely, { key: bucket.key, limitPerMinute: bucket.limit, chunk }).catch(
      (error: unknown) => {
        if (connectionFailure(error)) return { granted: chunk, remaining: 0, secondsLeft: secondsAlone };
        throw error;
      },
    );
    bucket.held = permits.granted;
    bucket.remaining = permits.remaining;
    bucket.endsAt = performance.now() + permits.secondsLeft * 1000;
    if (permits.granted <= 0) bucket.remaining = 0;
  }

  /** Forgetting a bucket wastes the permits it holds, at worst a twentieth of a minute's; it opens nothing. */
  #forgetOldest(): void {
    const now = performance.now();
    let count = 0;
    for (const [key, bucket] of this.#buckets) {
      if (bucket.endsAt < now || count < mostBuckets / 10) this.#buckets.delete(key);
      count += 1;
    }
  }
}

function tooMany(name: string, bucket: Bucket): Problem {
  const seconds = secondsLeft(bucket);
  const whose = name === 'anonymous' || name === 'challenge' ? ' without a valid credential' : '';
  const sender = name === 'credential' ? 'This credential' : 'This client';
  const problem = new Problem(
    'too-many-requests',
    `${sender} has sent too many requests${whose}: at most ${bucket.limit} a minute are answered. Try again in ${seconds} s.`,
    { retryAfterSeconds: seconds },
  );
  return problem;
}

function stateOf(name: string, bucket: Bucket): RateState {
  return {
    policy: `"${name}";q=${bucket.limit};w=60`,
    remaining: `"${name}";r=${Math.max(0, bucket.held + bucket.remaining)};t=${secondsLeft(bucket)}`,
  };
}

function secondsLeft(bucket: Bucket): number {
  return Math.max(1, Math.ceil((bucket.endsAt - performance.now()) / 1000));
}
