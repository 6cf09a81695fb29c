import { z } from 'zod';
import { type ApprovalView, findApproval } from '../../db/approvals/approvals.ts';
import { approvalDecisions, approvalKinds } from '../../domain/approvals/approvals.ts';
import { resource } from '../engine/resource.ts';
import { refusals } from './who-decides.ts';

export const theApproval = resource('approval', findApproval, ({ projectId }) => projectId);
export const approvalPath = z.strictObject({ id: z.guid().toLowerCase() });

const freeForm = z.json().describe('Free-form; null where there is nothing to tell.');

export const approvalSchema = z
  .object({
    id: z.guid(),
    projectId: z.guid(),
    projectName: z.string(),
    environmentId: z.guid(),
    environmentName: z.string(),
    changeSetId: z.guid().optional(),
    deploymentId: z.guid().optional(),
    kind: z.enum(approvalKinds),
    decision: z.enum(approvalDecisions).optional().describe('Absent while it is pending.'),
    decidedBy: z.string(),
    decidedById: z.string().optional().describe('The person; of a token the one who made it.'),
    decisionReason: z.string().describe('Why it was decided so. `reason` is why it was requested.'),
    brokenGlass: z.boolean().describe('An owner passed it in place of somebody else.'),
    selfApproved: z
      .boolean()
      .describe('By somebody who requested it or staged a part of it, while nobody else could decide.'),
    requestedBy: z.string(),
    requestedById: z.string().describe('The person; of a token the one who made it.'),
    waitsForYou: z.boolean().optional().describe('Pending, and the caller may decide it. Told where it is read.'),
    whyNotYou: z
      .enum(['', ...refusals])
      .describe('Why the caller may not decide it, while it is pending. Told where it is read.'),
    selfApproves: z
      .boolean()
      .optional()
      .describe('The caller would decide on a change of their own, as nobody else could: `selfApproved` would say so.'),
    reason: z.string(),
    diff: freeForm,
    impact: freeForm,
    target: freeForm,
    createdAt: z.iso.datetime(),
    decidedAt: z.iso.datetime().optional(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Approval' });

/** As whom the requester counts: what a token requested is of the person who made it. */
export function requesterOf({ answerableId, requestedById }: ApprovalView): string {
  return answerableId ?? requestedById;
}

export function approvalAnswer(approval: ApprovalView): z.output<typeof approvalSchema> {
  const { id, projectId, projectName, environmentId, environmentName, changeSetId, deploymentId, kind, decision } =
    approval;
  const {
    selfApproved,
    brokenGlass,
    decisionReason,
    requestedBy,
    reason,
    diff,
    impact,
    target,
    createdAt,
    decidedAt,
    expiresAt,
  } = approval;
  return {
    ...{
      id,
      projectId,
      projectName,
      environmentId,
      environmentName,
      kind,
      selfApproved,
      requestedBy,
      reason,
      brokenGlass,
      decisionReason,
      whyNotYou: '' as const,
    },
    ...(changeSetId === null ? {} : { changeSetId }),
    ...(deploymentId === null ? {} : { deploymentId }),
    ...(decision === null ? {} : { decision }),
    decidedBy: approval.decidedBy ?? '',
    ...(approval.decidedById === null ? {} : { decidedById: approval.decidedById }),
    requestedById: requesterOf(approval),
    ...{ diff, impact, target },
    createdAt: createdAt.toISOString(),
    ...(decidedAt === null ? {} : { decidedAt: decidedAt.toISOString() }),
    expiresAt: expiresAt.toISOString(),
  };
}
