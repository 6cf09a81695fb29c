import { z } from 'zod';
import type { ApprovalView } from '../../db/approvals/approvals.ts';
import { decideApproval as decide } from '../../db/approvals/decide.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { approvalChoices } from '../../domain/approvals/approvals.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { approvalAnswer, approvalPath, approvalSchema, theApproval } from './approval.ts';
import { decidingAs, refusalWords } from './who-decides.ts';

export const decideApproval = operation({
  method: 'POST',
  url: '/api/v1/approvals/{id}/decide',
  summary: 'Approve or reject a change',
  description:
    'Not by the person who requested it, and by no account that staged a part of it. Where that leaves nobody, any admin but the requester decides, and a sole admin on their own: `selfApproved` says so. A token counts as the person who created it; tokens of CI jobs never decide, and what these request or stage counts as the change of those who created or changed their trusted issuer. Rejected changes return to the draft.',
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

/** Refuses those who may not decide this one; answers whether it is a change of their own, which nobody else could decide. */
async function refuseUnfit({ kysely }: Effect, caller: OrganizationCaller, approval: ApprovalView): Promise<boolean> {
  const word = (await decidingAs(kysely, caller))(approval);
  if (word.may) return word.selfApproved;
  // The operation has refused lower roles before.
  throw new Problem('role-too-low', refusalWords[word.because === 'role' ? 'job' : word.because]);
}
