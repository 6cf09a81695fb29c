import type { Kysely } from 'kysely';
import type { ApprovalView } from '../../db/approvals/approvals.ts';
import { deciders, isExchanged } from '../../db/approvals/deciders.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { mayActAs } from '../../domain/roles.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { requesterOf } from './approval.ts';

/** The approvals that a caller may decide: none as a CI job, its own only while nobody else could. */
export interface Decider {
  /** A token that a CI job exchanged: there is no person behind it. */
  job: boolean;
  /** By whom the change was requested, as far as the caller is concerned. */
  standing: (approval: ApprovalView) => 'other' | 'own' | 'own-and-alone';
}

export async function deciderOf(
  kysely: Kysely<Tables>,
  { organization, credential, countsAs: { id: person } }: OrganizationCaller,
): Promise<Decider> {
  const job = credential.kind === 'token' && (await isExchanged(kysely, organization.id, credential.id));
  // A token that was made on the machine itself has no person behind it, and stands for who holds the installation.
  const alone = (await deciders(kysely, organization.id)).every((one) => one === person);
  return {
    job,
    standing: (approval) => {
      if (person !== requesterOf(approval)) return 'other';
      return alone ? 'own-and-alone' : 'own';
    },
  };
}

/** Tells of each approval whether it waits for the caller. */
export async function waitsForCaller(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
): Promise<(approval: ApprovalView) => boolean> {
  if (!mayActAs(caller.role, 'admin')) return () => false;
  const { job, standing } = await deciderOf(kysely, caller);
  return (approval) => !job && approval.decision === null && standing(approval) !== 'own';
}
