import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import { type CommandState, isCommandOver } from '../../../domain/clusters/commands.ts';
import type { Tables } from '../../postgres/tables.ts';

interface Made {
  state: CommandState;
  message: string | null;
  /** Since it ended, or 0. */
  restedSeconds: number;
}

/** The commands of deletions so far, by their ids. */
export type Attempts = ReadonlyMap<string, Made>;

/** The last of the commands by which a deletion has had an agent asked for one place. */
export interface LastAttempt {
  id: string;
  /** undefined: it is not asked for yet. */
  state: CommandState | undefined;
  /** Of the last one that failed. */
  message: string | null;
  isDue: boolean;
}

interface Asked {
  deletionId: string;
  clusterId: string;
  key: string;
}

/** An agent that fails at once is asked again after this, then after twice as long, up to an hour. */
const firstPauseSeconds = 5;
const longestPauseSeconds = 3_600;

/** All commands of these deletions, in one statement: none is older than the first of their purges. */
export async function attemptsOf(
  kysely: Kysely<Tables>,
  organizationId: string,
  deletionIds: readonly string[],
): Promise<Attempts> {
  const { rows } = await sql<Made & { id: string }>`
    select id, state, message,
      coalesce(extract(epoch from now() - finished_at), 0)::float8 as "restedSeconds"
    from cluster_command
    where organization_id = ${organizationId} and kind = 'delete-volumes'
      and actor_id = any(${deletionIds.map((id) => actorId('deletion', id))}::text[])
      and created_at >= coalesce(
        (select min(purge_started_at) from deletion where id = any(${deletionIds}::uuid[])), '-infinity')
  `.execute(kysely);
  return new Map(rows.map(({ id, ...made }) => [id, made]));
}

/**
 * Of one command after the other, whose ids follow from the deletion and the place: one that failed is followed by another
 * one after a pause.
 */
export function lastAttempt(attempts: Attempts, { deletionId, clusterId, key }: Asked): LastAttempt {
  let message: string | null = null;
  let isDue = true;
  for (let attempt = 0; ; attempt += 1) {
    const id = idOf([deletionId, clusterId, key, attempt]);
    const made = attempts.get(id);
    if (made === undefined) return { id, state: undefined, message, isDue };
    if (made.state === 'done' || !isCommandOver(made.state)) return { id, state: made.state, message, isDue };
    message = made.message;
    isDue = made.restedSeconds >= Math.min(firstPauseSeconds * 2 ** attempt, longestPauseSeconds);
  }
}

/** A UUID that is the same whenever it is asked for. */
function idOf(parts: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
