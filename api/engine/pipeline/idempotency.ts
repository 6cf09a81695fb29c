import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Effect } from '../../../db/engine/effect.ts';
import {
  beginIdempotent,
  findAnswer,
  type IdempotentRequest,
  type IdempotentStart,
  storeAnswer,
} from '../../../db/engine/idempotency.ts';
import { refuseBeyond } from '../../../db/engine/limits/quota.ts';
import type { Database } from '../../../db/postgres/database.ts';
import { Problem } from '../../../domain/problems.ts';
import { OrganizationCaller } from '../caller.ts';
import type { Incoming } from '../input/incoming.ts';
import { type Input, invalidField } from '../input/input.ts';
import type { AnyOperation } from '../operation.ts';
import type { Answer } from './answer.ts';

/** The identity of a retried request; undefined without an `Idempotency-Key`. */
export function idempotentRequest(incoming: Incoming, input: Input): IdempotentRequest | undefined {
  const key = incoming.headers['idempotency-key'];
  if (key === undefined || incoming.caller === undefined) return undefined;
  if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) {
    throw invalidField('header.Idempotency-Key', 'must be 1 to 255 visible characters of ASCII, sent once');
  }
  const { caller } = incoming;
  const organization = caller instanceof OrganizationCaller ? caller.organization.id : null;
  const request = JSON.stringify([organization, input.path, input.query, input.body ?? null], sortedKeys);
  return {
    credentialId: caller.credential.id,
    operation: incoming.named.name,
    key,
    requestHash: createHash('sha256').update(request).digest(),
  };
}

/** The stored answer, before anybody else is asked; none if the request is to be run. A document is read anew. */
export async function answeredBefore(
  { kysely }: Database,
  operation: AnyOperation,
  request: IdempotentRequest,
): Promise<Answer | undefined> {
  const found = await findAnswer(kysely, request);
  if (found.kind === 'first') return undefined;
  const answer = repeated(found);
  return operation.document ? undefined : answer;
}

/** Runs the work unless the same request was answered before; its answer is stored in the effect's transaction. */
export async function answeredOnce(
  effect: Effect,
  operation: AnyOperation,
  request: IdempotentRequest,
  keysPerCredential: number,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const begun = await beginIdempotent(effect.kysely, request);
  if (begun.kind !== 'first') return repeated(begun);
  await refuseBeyond(effect, {
    setting: 'IDEMPOTENCY_KEYS_PER_CREDENTIAL',
    most: keysPerCredential,
    owner: request.credentialId,
    things: 'Idempotency-Keys of this credential',
    rows: sql`idempotent_answer where credential_id = ${request.credentialId}`,
    remedy: 'send the request without one, or wait until older ones are forgotten',
    loosely: true,
  });
  const answer = await work();
  const secretSubjectId = operation.secretAnswer(answer.value);
  const body = operation.document ? undefined : bodyOf(answer);
  const stored = secretSubjectId === undefined ? { body } : { secretSubjectId };
  await storeAnswer(effect.kysely, request, { status: answer.status, ...stored });
  return answer;
}

/** The answer to a request that came before, or why there is none. */
function repeated(begun: Exclude<IdempotentStart, { kind: 'first' }>): Answer {
  switch (begun.kind) {
    case 'replay': {
      const value: unknown = begun.body === undefined ? undefined : JSON.parse(begun.body);
      return { status: begun.status, value, replayed: true };
    }
    case 'other-request':
      throw invalidField(
        'header.Idempotency-Key',
        'was used for another request before; choose a new one for each change',
      );
    case 'still-running':
      throw new Problem('request-still-running', 'The same request is still running; ask again in a moment.', {
        retryAfterSeconds: 1,
      });
    case 'secret':
      throw new Problem(
        'answer-carried-secret',
        `This request was answered before, with a secret that is shown only once. It created ${begun.subjectId}; if the secret is lost, delete that and create another with a new Idempotency-Key.`,
      );
  }
}

function bodyOf(answer: Answer): string | undefined {
  return answer.value === undefined ? undefined : JSON.stringify(answer.value);
}

/** The same fields make the same request, in whatever order they were written. */
function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
