import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { takePermits } from '../../../db/engine/limits/leases.ts';
import type { Tables } from '../../../db/postgres/tables.ts';
import { clientNetwork } from '../../../domain/sign-in/client-network.ts';
import { Refusal } from '../refusal.ts';

const perBrowser = 10;
const perAccountAndAddress = 10;
const perAddress = 30;
/** Of browsers that are not known, from wherever they come: many addresses together get no further than this. */
const perAccount = 120;

export interface Guess {
  email: string;
  address: string;
  /** The browser, if somebody has signed in with this account in it before. */
  browser?: string | undefined;
}

/**
 * Counts one guess of a password or code, for the account, named by its e-mail address whether there is such an account or
 * not, and for the client's address. Refuses when there were too many in this minute. A browser that is known has guesses
 * of its own, which strangers cannot use up.
 */
export async function countGuess(kysely: Kysely<Tables>, { email, address, browser }: Guess): Promise<void> {
  const account = createHash('sha256').update(email.toLowerCase()).digest('base64url');
  if (browser !== undefined) {
    await takeOne(kysely, `identity guess for ${account} in ${browser}`, perBrowser);
    return;
  }
  const network = clientNetwork(address);
  await takeOne(kysely, `identity guess from ${network}`, perAddress);
  await takeOne(kysely, `identity guess for ${account} from ${network}`, perAccountAndAddress);
  await takeOne(kysely, `identity guess for ${account}`, perAccount);
}

/** Counts one guess that names no account. */
export async function countNamelessGuess(kysely: Kysely<Tables>, address: string): Promise<void> {
  await takeOne(kysely, `identity guess from ${clientNetwork(address)}`, perAddress);
}

async function takeOne(kysely: Kysely<Tables>, key: string, limitPerMinute: number): Promise<void> {
  const { granted, secondsLeft } = await takePermits(kysely, { key, limitPerMinute, chunk: 1 });
  if (granted > 0) return;
  const seconds = Math.max(1, Math.ceil(secondsLeft));
  throw new Refusal(`There were too many attempts; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    retryAfterSeconds: seconds,
  });
}
