import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Effect } from '../../db/engine/effect.ts';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import { Refusal } from './refusal.ts';

export interface NewAccount {
  name: string;
  email: string;
  passwordHash: string;
  /** The right of the attempt in which it is created. A tab may be closed before the sign-in is finished: the account keeps it. */
  forFirstOwner?: boolean;
  forInvitation?: string | undefined;
}

/**
 * Creates an account. One of the same address with which nobody ever finished a sign-in is replaced: a person who left half way may
 * start again. Any other is refused.
 */
export async function createAccount(effect: Effect, account: NewAccount): Promise<{ id: string }> {
  const { name, email, passwordHash, forFirstOwner = false, forInvitation = null } = account;
  await effect.kysely
    .deleteFrom('provider_account')
    .where(sql<string>`lower(email)`, '=', sql<string>`lower(${email})`)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('identity')
            .select('identity.id')
            .where('identity.provider_id', '=', builtInProviderId)
            .where('identity.subject', '=', sql<string>`provider_account.id::text`),
        ),
      ),
    )
    .execute();
  const id = uuid();
  const made = await effect.kysely
    .insertInto('provider_account')
    .values({
      id,
      name,
      email,
      password_hash: passwordHash,
      for_first_owner: forFirstOwner,
      for_invitation: forInvitation,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made === undefined) {
    throw new Refusal('There is an account with this e-mail address already; sign in with it instead.', {
      field: 'email',
    });
  }
  effect.audit('account.created', { id, name: email });
  return { id };
}
