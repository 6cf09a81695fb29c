import { activityInfo } from '@temporalio/activity';

/** Keeps the history of one run of an actor. Where it is kept, and with which key, is the worker's matter. */
export type ArchiveRun = (run: { actorId: string; organizationId: string; runId: string }) => Promise<void>;

/** For actors that continue as new: Temporal forgets their old runs while they live on. */
export function createHistoryActivities({ archive }: { archive: ArchiveRun }) {
  return {
    /** Archives a run of the calling actor that is over. */
    async archiveRun({ organizationId, runId }: { organizationId: string; runId: string }): Promise<void> {
      const actorId = activityInfo().workflowExecution?.workflowId;
      if (actorId === undefined) throw new Error('Only an actor can have its history archived.');
      await archive({ actorId, organizationId, runId });
    },
  };
}

export type HistoryActivities = ReturnType<typeof createHistoryActivities>;
