import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import { hashSecret, newSecret } from '../keys/secrets.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants } from '../postgres/tenant.ts';
import type { SignInLinkKind } from './table.ts';

const linkSeconds = 900;

export interface UsedSignInLink {
  id: string;
  kind: SignInLinkKind;
  userId: string | null;
}

/** Makes a link that can be used once within a quarter of an hour. The secret is returned here and is nowhere else. */
export async function createSignInLink(
  effect: Effect,
  link: { kind: SignInLinkKind; userId?: string },
): Promise<{ secret: string; expiresAt: Date }> {
  const { kind, userId } = link;
  if (kind === 'first-owner' && (await ownerExists(effect.kysely))) {
    throw new Problem(
      'already-decided',
      'There is an owner already: sign in as one, or let one invite you. If nobody can sign in any more, `ballast user reset --email …` makes a link for an existing account.',
    );
  }
  const id = uuid();
  const secret = newSecret();
  const { expiresAt } = await effect.kysely
    .insertInto('sign_in_link')
    .values({
      id,
      kind,
      secret_hash: hashSecret(secret),
      user_id: userId ?? null,
      created_by: effect.author.name,
      expires_at: sql`now() + make_interval(secs => ${linkSeconds})`,
    })
    .returning('expires_at as expiresAt')
    .executeTakeFirstOrThrow();
  effect.audit('sign_in_link.created', { id }, { kind, ...(userId === undefined ? {} : { userId }) });
  return { secret, expiresAt };
}

/** Uses a link up. Undefined: there is none with this secret, it was used, has expired, or an owner has come meanwhile. */
export async function useSignInLink(effect: Effect, secret: string): Promise<UsedSignInLink | undefined> {
  const used = await effect.kysely
    .updateTable('sign_in_link')
    .set({ used_at: sql`now()` })
    .where('secret_hash', '=', hashSecret(secret))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['id', 'kind', 'user_id as userId'])
    .executeTakeFirst();
  if (used === undefined) return undefined;
  effect.audit('sign_in_link.used', { id: used.id }, { kind: used.kind });
  return used.kind === 'first-owner' && (await ownerExists(effect.kysely)) ? undefined : used;
}

/** The link with this secret, used or not. */
export async function findSignInLinkBySecret(
  kysely: Kysely<Tables>,
  secret: string,
): Promise<UsedSignInLink | undefined> {
  return await kysely
    .selectFrom('sign_in_link')
    .select(['id', 'kind', 'user_id as userId'])
    .where('secret_hash', '=', hashSecret(secret))
    .executeTakeFirst();
}

export async function findSignInLink(kysely: Kysely<Tables>, id: string): Promise<UsedSignInLink | undefined> {
  return await kysely
    .selectFrom('sign_in_link')
    .select(['id', 'kind', 'user_id as userId'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Whether any organization has an owner: from then on nobody can become the first one. */
export async function ownerExists(kysely: Kysely<Tables>): Promise<boolean> {
  const owner = await acrossTenants(kysely)
    .selectFrom('membership')
    .select('user_id')
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return owner !== undefined;
}

/** Of two people who would become the first owner at the same moment, the second one waits here and then is not. */
export async function lockFirstOwner(kysely: Kysely<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('ballast first owner', 0))`.execute(kysely);
}
