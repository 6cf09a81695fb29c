import type { Author } from '../../db/engine/author.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Problem } from '../../domain/problems.ts';
import type { Client } from '../engine/pipeline/client.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { Refusal } from './refusal.ts';

/** Kept beside the records of what succeeded: who tries what, from where. Never what it was tried with. */
export async function noteRefusal(
  { database, log }: ServerParts,
  client: Client,
  problem: Problem,
  attemptId = 'unknown',
): Promise<void> {
  const reason = problem instanceof Refusal ? problem.reason : problem.code;
  log.info({ requestId: client.requestId, reason }, 'A sign-in was refused');
  await effect(database, anonymous(client), async (running) => {
    running.audit({
      action: 'sign_in.refused',
      subjectKind: 'sign_in',
      subjectId: attemptId,
      details: { reason },
    });
  }).catch((error: unknown) => log.warn({ requestId: client.requestId, err: error }, 'A refusal was not recorded'));
}

export function anonymous(client: Client): Author {
  return { kind: 'machine', id: 'public', name: 'anonymous', ip: client.address, requestId: client.requestId };
}
