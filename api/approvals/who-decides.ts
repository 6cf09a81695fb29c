import type { Kysely } from 'kysely';
import type { ApprovalView } from '../../db/approvals/approvals.ts';
import { deciders, isExchanged } from '../../db/approvals/deciders.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { type RefusedStanding, refusedStandings, standingOf } from '../../domain/approvals/who-decides.ts';
import { mayActAs } from '../../domain/roles.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

export const refusals = ['role', 'job', ...refusedStandings] as const;
export type Refusal = (typeof refusals)[number];

/** Whether the caller may decide an approval that is pending, and as whom; else why not. */
export type Word = { may: true; selfApproved: boolean } | { may: false; because: Refusal };

/**
 * The word on each approval for a caller: none decides without the role, or as a CI job. A token counts as the person who
 * created it; one that was created on the machine itself stands for who holds the installation.
 */
export async function decidingAs(
  kysely: Kysely<Tables>,
  { organization, credential, role, countsAs }: OrganizationCaller,
): Promise<(approval: Pick<ApprovalView, 'authors'>) => Word> {
  if (!mayActAs(role, 'admin')) return () => ({ may: false, because: 'role' });
  if (credential.kind === 'token' && (await isExchanged(kysely, organization.id, credential.id))) {
    return () => ({ may: false, because: 'job' });
  }
  const all = await deciders(kysely, organization.id);
  return ({ authors }) => {
    const standing = standingOf(countsAs.id, { authors, deciders: all });
    if (standing === 'decides' || standing === 'decides-own')
      return { may: true, selfApproved: standing !== 'decides' };
    return { may: false, because: standing };
  };
}

/** The word as it is told with an approval that is listed or read; nothing of one that is decided. */
export function wordAnswer(word: Word, { decision }: Pick<ApprovalView, 'decision'>) {
  if (decision !== null) return { waitsForYou: false };
  if (!word.may) return { waitsForYou: false, whyNotYou: word.because };
  return { waitsForYou: true, ...(word.selfApproved ? { selfApproves: true } : {}) };
}

const others = 'so somebody else decides: an admin or owner of the organization of whom no part of it is';

/** Of those who have the role. */
export const refusalWords: Readonly<Record<RefusedStanding | 'job', string>> = {
  job: 'Tokens of CI jobs do not decide approvals: a person does.',
  requested: `You requested this change, ${others}.`,
  staged: `You staged a part of this change, ${others}.`,
  'trusted-issuer': `A CI job requested or staged a part of this change by a trusted issuer that you created or changed, ${others}.`,
};
