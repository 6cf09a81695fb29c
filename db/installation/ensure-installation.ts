import type { Kysely } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Tables } from '../postgres/tables.ts';

/** This installation's id is made with the first migration. */
export async function ensureInstallation(kysely: Kysely<Tables>): Promise<void> {
  await kysely
    .insertInto('installation')
    .values({ id: uuid() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
