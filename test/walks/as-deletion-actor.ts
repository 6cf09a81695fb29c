import { createActivities } from '../../activities/deletion.ts';
import { inActor } from '../actors/in-actor.ts';
import type { RunningApi } from '../installation/running-api.ts';

/** Claims and purges as the actor of a deletion does, once. Answers its row then. */
export async function asDeletionActor(
  { database, keyring }: Pick<RunningApi, 'database' | 'keyring'>,
  deletionId: string,
) {
  const { claimPurge, purgeThing, finishDeletion } = createActivities({ database, keyring });
  const read = () =>
    database.kysely.selectFrom('deletion').selectAll().where('id', '=', deletionId).executeTakeFirstOrThrow();
  const { organization_id: organizationId, revision } = await read();
  const run = <T>(work: () => Promise<T>) => inActor(`deletion/${deletionId}`, work);
  const of = { deletionId, organizationId };
  await run(() => claimPurge({ ...of, revision: revision + 1 }));
  const { waits, undeleted } = await run(() => purgeThing(of));
  if (waits === undefined) await run(() => finishDeletion({ ...of, revision: revision + 2, state: 'purged' }));
  return { ...(await read()), waits, ...(undeleted === undefined ? {} : { undeleted }) };
}
