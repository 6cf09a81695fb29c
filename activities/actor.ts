import { activityInfo } from '@temporalio/activity';
import type { Database } from '../db/postgres/database.ts';
import { rowSays } from '../db/workflows/actor-rows.ts';
import type { RowSays } from '../domain/actors/actor-descriptor.ts';
import type { ActorKind } from '../workflows/descriptors.ts';

/** Activities of the frame, which every actor has. */
export function createActorActivities({ database }: { database: Database }) {
  return {
    /** An actor's first step: whether its row is still open and no further than the actor knows. */
    async claimActor({
      kind,
      rowId,
      revision,
    }: {
      kind: ActorKind;
      rowId: string;
      revision: number;
    }): Promise<RowSays> {
      return await rowSays(database.kysely, kind, rowId, revision);
    },

    async reportUnreadable({ message, why }: { message: string; why: string }): Promise<void> {
      const actorId = activityInfo().workflowExecution?.workflowId ?? 'unknown';
      database.raiseAlarm({
        actorId,
        message: `${actorId} skipped the message "${message}", which it cannot read: ${why}.`,
      });
    },
  };
}

export type ActorActivities = ReturnType<typeof createActorActivities>;
