import { sql } from 'kysely';
import type { Author } from '../engine/author.ts';
import { effect } from '../engine/effect.ts';
import type { Database } from '../postgres/database.ts';
import { cancelCommand } from './cluster-commands.ts';

const author: Author = { kind: 'machine', id: 'sweeper', name: 'sweeper' };

/** Longer than any stream lasts: the reader has left, and so has the process that would have reported that. */
const forsakenMinutes = 20;

/** Asks agents to stop following logs that nobody reads any more. How many they were. */
export async function stopForsakenLogs(database: Database): Promise<number> {
  const forsaken = await database.kysely
    .selectFrom('cluster_command')
    .select(['id', 'cluster_id as clusterId', 'organization_id as organizationId'])
    .where('kind', '=', 'logs')
    .where('finished_at', 'is', null)
    .where('cancel_requested_at', 'is', null)
    .where('created_at', '<', sql<Date>`now() - make_interval(mins => ${forsakenMinutes})`)
    .limit(1000)
    .execute();
  for (const { id, clusterId, organizationId } of forsaken) {
    await effect(database, author, (running) => cancelCommand(running, { id: clusterId, organizationId }, id));
  }
  return forsaken.length;
}
