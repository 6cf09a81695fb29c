import type { Kysely } from 'kysely';
import type { Tables } from '../../../db/postgres/tables.ts';
import { type Account, findAccountByEmail } from '../account.ts';
import { countGuess, type Guess } from './guesses.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';

/** The account with this address and password. Nothing tells which of the two is wrong, nor how long it takes. */
export async function checkPassword(
  kysely: Kysely<Tables>,
  guess: Guess & { password: string },
): Promise<Account | undefined> {
  await countGuess(kysely, guess);
  const account = await findAccountByEmail(kysely, guess.email);
  if (!(await verifyPassword(guess.password, account?.passwordHash))) return undefined;
  if (account !== undefined && isOutdated(account.passwordHash)) {
    const rehashed = await hashPassword(guess.password);
    await kysely
      .updateTable('provider_account')
      .set({ password_hash: rehashed })
      .where('id', '=', account.id)
      .where('password_hash', '=', account.passwordHash)
      .execute();
  }
  return account;
}
