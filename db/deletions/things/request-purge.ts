import { sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import { shownKind } from '../../../domain/deletions/kinds.ts';
import type { Effect } from '../../engine/effect.ts';
import { beginDeletion } from '../begin.ts';
import { decided, purgeable, repeatable } from '../deletion-rules.ts';
import { type DeletedThing, findDeletedThing } from './deleted-things.ts';
import { carryInstead } from './hide.ts';
import { recordDeletion } from './record.ts';

/**
 * Somebody does not want to wait until the retention has passed. A deletion that failed is tried again, as a new one; a
 * repeated request tells the actor again. Throws a Problem otherwise.
 */
export async function requestPurgeOfThing(effect: Effect, thing: DeletedThing): Promise<void> {
  const { deletionId, organizationId, kind, id: subjectId, projectId, name, slug, context, detail } = thing;
  const row = await effect.kysely
    .selectFrom('deletion')
    .select(['state', 'purge_started_at as purgeStartedAt'])
    .select([purgeable.as('purgeable'), repeatable.as('repeatable')])
    .where('id', '=', deletionId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const now = await findDeletedThing(effect.kysely, organizationId, shownKind(kind), subjectId);
  if (now?.deletionId !== deletionId) throw decided(row.state, 'purged', shownKind(kind));
  const tell = () =>
    effect.tell({ to: actorId('deletion', deletionId), message: 'purgeNow', organizationId, body: {} });
  if (row.repeatable) {
    tell();
    return;
  }
  if (!row.purgeable) throw decided(row.state, 'purged', shownKind(kind));
  if (row.state === 'failed') {
    const { purgeStartedAt } = row;
    const subject = { organizationId, kind, subjectId, projectId, name, slug, context, detail };
    const again = await beginDeletion(effect, { ...subject, hours: 0, purgeRequested: true, purgeStartedAt });
    await carryInstead(effect, organizationId, { from: deletionId, to: again.deletionId });
    recordDeletion(effect, 'purge_requested', { ...thing, deletionId: again.deletionId }, { started: true });
    return;
  }
  await effect.kysely
    .updateTable('deletion')
    .set({ purge_requested_at: sql`now()`, restore_until: sql`least(restore_until, now())` })
    .where('id', '=', deletionId)
    .execute();
  recordDeletion(effect, 'purge_requested', thing);
  tell();
}
