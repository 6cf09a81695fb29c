import { refreshApproval as refresh } from '../../db/approvals/refresh.ts';
import { operation } from '../engine/operation.ts';
import { approvalAnswer, approvalPath, approvalSchema, theApproval } from './approval.ts';

export const refreshApproval = operation({
  method: 'POST',
  url: '/api/v1/approvals/{id}/refresh',
  summary: 'Compose what an approval holds against the environment as it is now',
  description:
    'For an approval that is stale. The answer is a new approval of the same requester, with the difference of today; the old one is superseded. Images stay those that were resolved when the change was requested.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: [
    'not-found',
    'already-decided',
    'conflict',
    'change-set-changed',
    'release-retired',
    'image-unfit',
    'capability-missing',
  ],
  path: approvalPath,
  status: 201,
  result: approvalSchema,
  async handle({ caller, path, effect, server }) {
    const approval = await caller.see(theApproval, path.id, effect.kysely);
    const id = await refresh(effect, server.keyring, approval);
    return approvalAnswer(await caller.see(theApproval, id, effect.kysely));
  },
});
