import { z } from 'zod';
import type { ApprovalView } from '../../db/approvals/approvals.ts';
import { decideApproval as decide } from '../../db/approvals/decide.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { approvalChoices } from '../../domain/approvals/approvals.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { approvalAnswer, approvalPath, approvalSchema, theApproval } from './approval.ts';
import { deciderOf } from './who-decides.ts';

export const decideApproval = operation({
  method: 'POST',
  url: '/api/v1/approvals/{id}/decide',
  summary: 'Approve or reject a change',
  description:
    'Not by the person who requested it, unless only one account may decide. A token counts as the person who made it; tokens of CI jobs never decide. Rejected changes return to the draft.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['not-found', 'already-decided', 'approval-stale', 'role-too-low', 'conflict'],
  path: approvalPath,
  body: z.strictObject({ decision: z.enum(approvalChoices), reason: z.string().trim().max(2000).optional() }),
  result: approvalSchema,
  async handle({ caller, path, body, effect, server }) {
    const approval = await caller.see(theApproval, path.id, effect.kysely);
    const selfApproved = await refuseUnfit(effect, caller, approval);
    const { decision, reason } = body;
    await decide(effect, server.keyring, approval, { decision, by: { ...caller.countsAs, selfApproved, reason } });
    return approvalAnswer(await caller.see(theApproval, path.id, effect.kysely));
  },
});

/** Refuses those who may not decide this one; answers whether it is the requester, as the only one who may. */
async function refuseUnfit({ kysely }: Effect, caller: OrganizationCaller, approval: ApprovalView): Promise<boolean> {
  const { job, standing } = await deciderOf(kysely, caller);
  if (job) throw new Problem('role-too-low', 'Tokens of CI jobs do not decide approvals: a person does.');
  const own = standing(approval);
  if (own !== 'own') return own === 'own-and-alone';
  throw new Problem(
    'role-too-low',
    'You requested this change, so somebody else decides: any other admin or owner of the organization.',
  );
}
