import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { Effect } from '../engine/effect.ts';
import { hashSecret, newSecret } from '../keys/secrets.ts';
import { findLasting } from '../organizations/organization-settings.ts';
import type { Tables } from '../postgres/tables.ts';
import { type ClusterRef, lockCluster, recordCluster } from './clusters.ts';

/** Makes a token that enrols one agent, once. The secret is returned here and is nowhere else. */
export async function createEnrollmentToken(
  effect: Effect,
  cluster: ClusterRef,
): Promise<{ secret: string; expiresAt: Date }> {
  const row = await lockCluster(effect, cluster);
  const seconds = await findLasting(effect.kysely, cluster.organizationId, 'joinTokenTtlSeconds');
  if (row === undefined || seconds === undefined) throw new Problem('not-found', 'There is no such cluster.');
  if (row.state === 'deleting') {
    throw new Problem('already-decided', `The cluster "${row.name}" is being deleted: no agent can join it.`);
  }
  const secret = `bje_${newSecret()}`;
  const { expires_at: expiresAt } = await effect.kysely
    .insertInto('enrollment_token')
    .values({
      id: uuid(),
      organization_id: cluster.organizationId,
      cluster_id: cluster.id,
      secret_hash: hashSecret(secret),
      expires_at: sql`now() + make_interval(secs => ${seconds})`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  recordCluster(effect, 'cluster.enrollment_token_created', { ...cluster, name: row.name });
  return { secret, expiresAt };
}

/**
 * Uses a token up for an agent with this credential, and answers for which cluster. The same agent may ask again, since
 * its answer may have been lost. Whoever calls this holds no other locks: the token's row is the first.
 */
export async function useEnrollmentToken(
  effect: Effect,
  secret: string,
  credentialHash: Buffer,
): Promise<ClusterRef & { again: boolean }> {
  const token = await effect.kysely
    .selectFrom('enrollment_token')
    .select(['id', 'organization_id', 'cluster_id', 'used_at', 'used_by_credential_hash'])
    .select(sql<boolean>`expires_at <= now()`.as('expired'))
    .where('secret_hash', '=', hashSecret(secret))
    .forUpdate()
    .executeTakeFirst();
  if (token === undefined) {
    throw refused(
      'The enrollment token is unknown: check that the whole token was copied, and that it belongs to this installation.',
    );
  }
  const cluster = { id: token.cluster_id, organizationId: token.organization_id };
  if (token.used_at !== null) {
    if (token.used_by_credential_hash?.equals(credentialHash)) return { ...cluster, again: true };
    throw refused('The enrollment token was already used: create one token per agent.');
  }
  if (token.expired) throw refused('The enrollment token has expired: create another one.');
  await effect.kysely
    .updateTable('enrollment_token')
    .set({ used_at: sql`now()`, used_by_credential_hash: credentialHash })
    .where('id', '=', token.id)
    .execute();
  return { ...cluster, again: false };
}

/** Whether a token could still enrol somebody: enough to fetch the agent's program with. */
export async function isEnrollmentTokenGood(kysely: Kysely<Tables>, secret: string): Promise<boolean> {
  const row = await kysely
    .selectFrom('enrollment_token')
    .select('id')
    .where('secret_hash', '=', hashSecret(secret))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Used and expired ones are kept for a week, so that the refusal can say which of the two it is. */
export async function sweepEnrollmentTokens(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`least(used_at, expires_at) < now() - interval '7 days'`;
  return await deleteInBatches(kysely, { table: 'enrollment_token', where, signal });
}

function refused(why: string): Problem {
  return new Problem('enrollment-refused', why);
}
