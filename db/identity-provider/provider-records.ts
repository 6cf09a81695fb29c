import type { Kysely } from 'kysely';
import type { Tables } from '../postgres/tables.ts';

/** Ends whatever the built-in provider keeps of an account: its sessions, codes and interactions. */
export async function endAccountRecords(kysely: Kysely<Tables>, accountId: string): Promise<number> {
  const ended = await kysely
    .deleteFrom('provider_record')
    .where('account_id', '=', accountId)
    .returning('model')
    .execute();
  return ended.length;
}
