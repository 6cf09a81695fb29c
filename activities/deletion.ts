import { ApplicationFailure, activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { sql } from 'kysely';
import { claimPurge, type PurgeClaim, purgeOrganization } from '../db/deletions/purge.ts';
import { type DeletionDeed, recordDeletion } from '../db/deletions/things/hide.ts';
import { type Purged, purgeThing, thingOf } from '../db/deletions/things/purge-thing.ts';
import { settleInner } from '../db/deletions/things/restore-thing.ts';
import { type Effect, effect } from '../db/engine/effect.ts';
import { actorRow, project } from '../db/engine/projection.ts';
import type { Database } from '../db/postgres/database.ts';
import { answerTo, openActors, rowSays } from '../db/workflows/actor-rows.ts';
import type { Secrets } from '../db/workloads/sealed-workload.ts';
import type { RowSays } from '../domain/actors/actor-descriptor.ts';
import { actorId } from '../domain/actors/actors.ts';
import type { DeletionState } from '../workflows/deletion/descriptor.ts';
import { actorKinds, descriptors } from '../workflows/descriptors.ts';
import { actorAuthor } from './caller.ts';

export interface Deletion {
  deletionId: string;
  organizationId: string;
}

/** `ahead`: the row is further than the actor. */
export type Claimed = Exclude<PurgeClaim, { answer: 'ahead' }> | { answer: 'ahead'; row: RowSays };

export type DeletionEnd = { state: 'purged' } | { state: 'failed'; message: string };

const batchSize = 1_000;

/** Activities of a deletion. Each may run twice and be killed at any point. */
export function createActivities({ database, keyring }: { database: Database; keyring: Secrets }) {
  return {
    /** Once it is claimed nobody can restore it; if somebody has, the answer says so. */
    async claimPurge({ deletionId, revision }: Deletion & { revision: number }): Promise<Claimed> {
      return effect(database, actorAuthor(), async (claim) => {
        const row = await lockRow(claim, deletionId);
        const claimed = await claimPurge(claim, deletionId, revision);
        if (claimed.answer === 'ahead') {
          return { answer: 'ahead', row: await rowSays(claim.kysely, 'deletion', deletionId, revision) };
        }
        if (claimed.answer === 'claimed' && row.state === 'retained') {
          hint(claim, row);
          if (row.kind === 'organization') await endActors(claim, row.organization_id);
          await settleInner(claim, row);
        }
        return claimed;
      });
    },

    /** Goes on from where it stood. The heartbeat tells that it lives, and lets it be stopped between two batches. */
    async purgeOrganization({ deletionId, organizationId }: Deletion): Promise<{ deletedRows: number }> {
      const signal = cancellationSignal();
      const row = await actorRow(database.kysely, 'deletion', deletionId);
      // A run before this one has done it, or somebody has decided otherwise.
      if (row?.state !== 'purging' || row.finished_at !== null) return { deletedRows: 0 };
      let deletedRows = deletedBefore();
      const countDeleted = (deleted: number): void => {
        deletedRows += deleted;
        heartbeat({ deletedRows });
        signal.throwIfAborted();
      };
      await purgeOrganization(database, organizationId, batchSize, ({ deleted }) => countDeleted(deleted));
      return { deletedRows };
    },

    /** Goes on from where it stood. Answers what it waits for, which the row tells people. */
    async purgeThing({ deletionId }: Deletion): Promise<Purged> {
      const signal = cancellationSignal();
      const row = await actorRow(database.kysely, 'deletion', deletionId);
      if (row?.state !== 'purging' || row.finished_at !== null) return { deletedRows: 0 };
      const thing = thingOf(await deletionRow(database.kysely, deletionId));
      let deletedRows = deletedBefore();
      const author = actorAuthor();
      const onProgress = ({ deleted }: { deleted: number }): void => {
        deletedRows += deleted;
        heartbeat({ deletedRows });
        signal.throwIfAborted();
      };
      const { waits, undeleted } = await purgeThing({ database, keyring, author, batchSize, onProgress }, thing);
      // Waiting for minutes, it is among what needs attention.
      const long = sql<
        string | null
      >`case when purge_started_at < now() - interval '10 minutes' then ${waits ?? null}::text end`;
      const told = database.kysely.updateTable('deletion').set({ message: waits ?? null, blocker: long });
      await told.where('id', '=', deletionId).where('state', '=', 'purging').execute();
      if (waits !== undefined) return { deletedRows, waits };
      return undeleted === undefined ? { deletedRows } : { deletedRows, undeleted };
    },

    /** The actor's last word; it answers what the row says then, which may be somebody else's. */
    async finishDeletion(
      ending: Deletion & DeletionEnd & { revision: number },
    ): Promise<RowSays & { state: DeletionState }> {
      const { deletionId, state } = ending;
      return effect(database, actorAuthor(), async (end) => {
        const row = await lockRow(end, deletionId);
        const message = ending.state === 'failed' ? ending.message : row.undeleted;
        // A failure is said whatever the revision: the actor ends with it.
        const revision = state === 'failed' ? Math.max(ending.revision, row.revision) : ending.revision;
        const last = state === 'failed';
        const finished = { state, revision, finished: true, last, set: { message, blocker: null } };
        const projected = await project(end.kysely, 'deletion', deletionId, finished, database.raiseAlarm);
        if (projected.result === 'refused') {
          const answer = await answerTo(end.kysely, 'deletion', deletionId, finished, projected);
          return { ...answer, state: row.state };
        }
        if (row.state === state) return { state };
        record(end, row, state === 'purged' ? 'purged' : 'deletion_failed', message);
        return { state };
      });
    },
  };
}

export type DeletionActivities = ReturnType<typeof createActivities>;

/** Locked, so that an activity that runs twice at once says everything once. */
async function lockRow({ kysely }: Effect, deletionId: string) {
  const row = await kysely
    .selectFrom('deletion')
    .select(['id', 'kind', 'organization_id', 'subject_id', 'project_id', 'state', 'revision', 'name', 'slug'])
    .select('undeleted')
    .where('id', '=', deletionId)
    .forUpdate()
    .executeTakeFirst();
  if (row) return row;
  throw ApplicationFailure.nonRetryable(`There is no deletion ${deletionId}: its row was removed.`);
}

type Row = Awaited<ReturnType<typeof lockRow>>;

function record(
  effect: Effect,
  row: Row,
  deed: DeletionDeed & ('purged' | 'deletion_failed'),
  message: string | null,
): void {
  const { id: deletionId, organization_id: organizationId, project_id: projectId, name, slug } = row;
  const details = { slug, ...(message === null ? {} : { message }) };
  if (row.kind !== 'organization' && projectId !== null) {
    recordDeletion(effect, deed, { ...thingOf(row), projectId, name }, { details });
    return;
  }
  effect.audit(`organization.${deed}`, { organizationId, id: organizationId, name }, { ...details, deletionId });
  hint(effect, row);
}

async function deletionRow(kysely: Database['kysely'], deletionId: string) {
  const query = kysely.selectFrom('deletion').select(['id', 'organization_id', 'kind', 'subject_id']);
  return await query.where('id', '=', deletionId).executeTakeFirstOrThrow();
}

/** Actors that would live on without their rows, which are about to go. */
async function endActors({ kysely, tell }: Effect, organizationId: string): Promise<void> {
  for (const kind of actorKinds) {
    const message = descriptors[kind].purge.tell;
    if (message === undefined) continue;
    for (const id of await openActors(kysely, kind, organizationId)) {
      tell({ to: actorId(kind, id), message, organizationId, body: {} });
    }
  }
}

function hint({ change }: Effect, { id, organization_id: organizationId, project_id: projectId }: Row): void {
  change({ organizationId, kind: 'deletion', id, ...(projectId === null ? {} : { projectId }) });
}

/** The last heartbeat of an earlier attempt that was killed half way. */
function deletedBefore(): number {
  const details: unknown = activityInfo().heartbeatDetails;
  const told = typeof details === 'object' && details !== null && 'deletedRows' in details ? details.deletedRows : 0;
  return typeof told === 'number' ? told : 0;
}
