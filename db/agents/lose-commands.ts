import { endCommand } from '../commands/cluster-commands.ts';
import type { Effect } from '../engine/effect.ts';

/**
 * Delivered commands have no certain end any more. An agent with another journal will never report them: they are
 * lost. The same one that does not know them cannot say whether they ran.
 */
export async function loseCommands(
  effect: Effect,
  clusterId: string,
  hello: { journalId: string; journalled: readonly string[] } | undefined,
): Promise<void> {
  const delivered = await effect.kysely
    .selectFrom('cluster_command')
    .select(['id', 'journal_id as journalId'])
    .where('cluster_id', '=', clusterId)
    .where('finished_at', 'is', null)
    .where('state', '=', 'delivered')
    .forUpdate()
    .execute();
  for (const { id, journalId } of delivered) {
    if (hello === undefined || journalId !== hello.journalId) {
      await endCommand(effect, id, { state: 'lost', message: 'The agent that had accepted the command was replaced.' });
    } else if (!hello.journalled.includes(id)) {
      await endCommand(effect, id, {
        state: 'unknown',
        message: 'The agent was interrupted; whether the command ran is unknown.',
      });
    }
  }
}
