import type { Kysely } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Tables } from '../postgres/tables.ts';

/** This installation's id, made with the first migration. */
export async function installationId(kysely: Kysely<Tables>): Promise<string> {
  const row = await kysely.selectFrom('installation').select('id').executeTakeFirst();
  if (row === undefined) throw new Error('The database is not set up: run `ballast migrate`.');
  return row.id;
}

export async function ensureInstallation(kysely: Kysely<Tables>): Promise<void> {
  await kysely
    .insertInto('installation')
    .values({ id: uuid() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
