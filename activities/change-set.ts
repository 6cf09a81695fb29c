import { expireApproval } from '../db/approvals/decide.ts';
import { type ChangeSetRef, type ChangeSetSays, settle } from '../db/change-sets/settle.ts';
import { effect } from '../db/engine/effect.ts';
import { actorAuthor } from './caller.ts';
import type { ActivityParts } from './index.ts';

/** Activities of a change set. Each may run twice, and answers what the row says. */
export function createActivities({ database }: ActivityParts) {
  return {
    async settleChangeSet({ failed, ...ref }: ChangeSetRef & { failed?: string }): Promise<ChangeSetSays> {
      return await effect(database, actorAuthor(), (settling) => settle(settling, ref, failed));
    },

    async expireChangeSet({ projectId, ...ref }: ChangeSetRef & { projectId: string }): Promise<ChangeSetSays> {
      return await effect(database, actorAuthor(), async (expiring) => {
        const project = { organizationId: ref.organizationId, projectId };
        await expireApproval(expiring, project, { column: 'change_set_id', id: ref.changeSetId });
        return await settle(expiring, ref);
      });
    },
  };
}

export type ChangeSetActivities = ReturnType<typeof createActivities>;
