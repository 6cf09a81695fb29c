import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { takePermits } from '../../../db/engine/leases.ts';
import type { Tables } from '../../../db/postgres/tables.ts';
import { Refusal } from '../refusal.ts';

const perAccount = 10;
const perAddress = 30;

/**
 * Counts one guess of a password or code: for the account, named by its e-mail address whether there is such an account or
 * not, and for the client's address. Refuses when there were too many in this minute.
 */
export async function countGuess(kysely: Kysely<Tables>, guess: { email: string; address: string }): Promise<void> {
  const account = createHash('sha256').update(guess.email.toLowerCase()).digest('base64url');
  await takeOne(kysely, `identity guess from ${guess.address}`, perAddress);
  await takeOne(kysely, `identity guess for ${account}`, perAccount);
}

/** Counts one guess that names no account. */
export async function countNamelessGuess(kysely: Kysely<Tables>, address: string): Promise<void> {
  await takeOne(kysely, `identity guess from ${address}`, perAddress);
}

async function takeOne(kysely: Kysely<Tables>, key: string, limitPerMinute: number): Promise<void> {
  const { granted, secondsLeft } = await takePermits(kysely, { key, limitPerMinute, chunk: 1 });
  if (granted > 0) return;
  const seconds = Math.max(1, Math.ceil(secondsLeft));
  throw new Refusal(`There were too many attempts; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    retryAfterSeconds: seconds,
  });
}
