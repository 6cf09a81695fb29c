import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { deleteInBatches } from './delete-in-batches.ts';

export interface IdempotentRequest {
  /** Whose key it is: the token's or the session's id. */
  credentialId: string;
  operation: string;
  /** The header `Idempotency-Key`. */
  key: string;
  /** Over everything that makes the request what it is. */
  requestHash: Buffer;
}

export type IdempotentStart =
  | { kind: 'first' }
  | { kind: 'replay'; status: number; body: string | undefined }
  /** Answered before, with a secret that is stored nowhere: this is what was created. */
  | { kind: 'secret'; subjectId: string }
  /** The same key came with another request. */
  | { kind: 'other-request' }
  | { kind: 'still-running' };

/**
 * Asks, inside the effect's transaction, whether this request was answered before. A twin that runs at the same moment
 * is told at once: the lock is held until the first one commits its answer or rolls back.
 */
export async function beginIdempotent(
  transaction: Kysely<Tables>,
  request: IdempotentRequest,
): Promise<IdempotentStart> {
  const { credentialId, operation, key } = request;
  const name = JSON.stringify(['idempotency', credentialId, operation, key]);
  const lock = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as held
  `.execute(transaction);
  if (lock.rows[0]?.held !== true) return { kind: 'still-running' };
  // A statement of its own, so that it sees what the lock's last holder has committed.
  return await findAnswer(transaction, request);
}

/** The committed answer to this request, if there is one; a twin may be at work nevertheless. */
export async function findAnswer(
  kysely: Kysely<Tables>,
  { credentialId, operation, key, requestHash }: IdempotentRequest,
): Promise<Exclude<IdempotentStart, { kind: 'still-running' }>> {
  const row = await kysely
    .selectFrom('idempotent_answer')
    .select(['request_hash', 'status', 'body', 'subject_id'])
    .where('credential_id', '=', credentialId)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return { kind: 'first' };
  if (!row.request_hash.equals(requestHash)) return { kind: 'other-request' };
  if (row.subject_id !== null) return { kind: 'secret', subjectId: row.subject_id };
  return { kind: 'replay', status: row.status, body: row.body ?? undefined };
}

/** The answer that a repeat gets: its bytes, or the id of what was created where the bytes hold a secret. */
export type StoredAnswer = { status: number } & ({ body: string | undefined } | { secretSubjectId: string });

export async function storeAnswer(
  transaction: Kysely<Tables>,
  request: IdempotentRequest,
  answer: StoredAnswer,
): Promise<void> {
  await transaction
    .insertInto('idempotent_answer')
    .values({
      credential_id: request.credentialId,
      operation: request.operation,
      key: request.key,
      request_hash: request.requestHash,
      status: answer.status,
      body: 'body' in answer ? (answer.body ?? null) : null,
      subject_id: 'secretSubjectId' in answer ? answer.secretSubjectId : null,
    })
    .execute();
}

/** Forgets answers older than that. Returns how many. */
export async function sweepIdempotentAnswers(
  kysely: Kysely<Tables>,
  hours: number,
  signal?: AbortSignal,
): Promise<number> {
  const where = sql`created_at < now() - make_interval(hours => ${hours})`;
  return await deleteInBatches(kysely, { table: 'idempotent_answer', where, along: sql.ref('created_at'), signal });
}
