import type { Kysely } from 'kysely';
import { z } from 'zod';
import { type ApprovalView, deciders, findApproval, isExchanged } from '../../db/approvals/approvals.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import {
  approvalDecisions,
  approvalKinds,
  type RefusedStanding,
  refusedStandings,
  standingOf,
} from '../../domain/approvals/approvals.ts';
import { mayActAs } from '../../domain/roles.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { resource } from '../engine/resource.ts';

const refusals = ['role', 'job', ...refusedStandings] as const;
type Refusal = (typeof refusals)[number];

/** Whether the caller may decide an approval that is pending, and as whom; else why not. */
type Word = { may: true; selfApproved: boolean } | { may: false; because: Refusal };

/**
 * The word on each approval for a caller: none decides without the role, or as a CI job. A token counts as the person who
 * created it; one that was created on the machine itself stands for who holds the installation.
 */
export async function decidingAs(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
): Promise<(approval: Pick<ApprovalView, 'authors'>) => Word> {
  const { organization, role, countsAs } = caller;
  if (!mayActAs(role, 'admin')) return () => ({ may: false, because: 'role' });
  if (await isJob(kysely, caller)) return () => ({ may: false, because: 'job' });
  const all = await deciders(kysely, organization.id);
  return ({ authors }) => {
    const standing = standingOf(countsAs.id, { authors, deciders: all });
    if (standing === 'decides' || standing === 'decides-own')
      return { may: true, selfApproved: standing !== 'decides' };
    return { may: false, because: standing };
  };
}

/** Whether a CI job calls: a rule made its token, not a person. */
export async function isJob(
  kysely: Kysely<Tables>,
  { organization, credential }: OrganizationCaller,
): Promise<boolean> {
  return credential.kind === 'token' && (await isExchanged(kysely, organization.id, credential.id));
}

/** The word as it is told with an approval that is listed or read; nothing of one that is decided. */
export function wordAnswer(word: Word, { decision }: Pick<ApprovalView, 'decision'>) {
  if (decision !== null) return { waitsForYou: false };
  if (!word.may) return { waitsForYou: false, whyNotYou: word.because };
  return { waitsForYou: true, selfApproves: word.selfApproved || undefined };
}

const others = 'so somebody else decides: an admin or owner of the organization of whom no part of it is';

/** Of those who have the role. */
export const refusalWords: Readonly<Record<RefusedStanding | 'job', string>> = {
  job: 'Tokens of CI jobs do not decide approvals: a person does.',
  requested: `You requested this change, ${others}.`,
  staged: `You staged a part of this change, ${others}.`,
  'trusted-issuer': `A CI job requested or staged a part of this change by a trusted issuer that you created or changed, ${others}.`,
};

export const theApproval = resource('approval', findApproval, ({ projectId }) => projectId);

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

export function approvalAnswer(approval: ApprovalView): AnswerOf<typeof approvalSchema> {
  return {
    ...approval,
    decidedBy: approval.decidedBy ?? '',
    // A token requests on behalf of the person who made it.
    requestedById: approval.answerableId ?? approval.requestedById,
    whyNotYou: '',
  };
}
