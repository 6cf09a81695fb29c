export const approvalKinds = ['deploy', 'rollback', 'promote', 'change-set'] as const;

/** The decisions of people. */
export const approvalChoices = ['approved', 'rejected'] as const;
export const approvalDecisions = [...approvalChoices, 'expired', 'superseded', 'cancelled'] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/** So long may an approval wait, unless its organization says otherwise: hours of the clock, also where summer time begins. */
export const approvalHours = 30 * 24;

/** An account whose change waits for an approval. A token is its owner; one and the same account may be several of these. */
export interface ChangeAuthor {
  id: string;
  /** The account requested the approval; else items of its change set are of it. */
  requested: boolean;
  /** A CI job did, by a trusted issuer that the account created or changed. */
  byIssuer: boolean;
}

/** Whose change it is, and the accounts that may decide in the organization at all. */
interface Deciding {
  authors: readonly ChangeAuthor[];
  deciders: readonly string[];
}

/**
 * How an account that may decide in general stands to one approval: it decides, it decides on its own change as nobody
 * else could (`selfApproved`), or it does not, because it requested it, staged some of it, or a CI job that it let in did.
 */
export type Standing = 'decides' | 'decides-own' | RefusedStanding;
export const refusedStandings = ['requested', 'staged', 'trusted-issuer'] as const;
export type RefusedStanding = (typeof refusedStandings)[number];

/**
 * Those who decide: the accounts that no part of the change is of. Where that leaves nobody, all but the requester; where
 * that leaves nobody either, the requester.
 */
export function decidersAmong({ authors, deciders }: Deciding): string[] {
  const least = leastShare({ authors, deciders });
  return deciders.filter((id) => shareOf(id, authors) <= least);
}

export function standingOf(account: string, { authors, deciders }: Deciding): Standing {
  const share = shareOf(account, authors);
  if (share === 0) return 'decides';
  if (share <= leastShare({ authors, deciders })) return 'decides-own';
  const own = authors.filter(({ id, byIssuer }) => id === account && !byIssuer);
  if (own.length === 0) return 'trusted-issuer';
  return own.some(({ requested }) => requested) ? 'requested' : 'staged';
}

/** 0: nothing of it is the account's, 1: items of it are, 2: the account requested it. */
type Share = 0 | 1 | 2;

function shareOf(account: string, authors: readonly ChangeAuthor[]): Share {
  const own = authors.filter(({ id }) => id === account);
  if (own.length === 0) return 0;
  return own.some(({ requested }) => requested) ? 2 : 1;
}

/** With no decider at all, who holds the machine decides. */
function leastShare({ authors, deciders }: Deciding): Share {
  const shares = deciders.map((id) => shareOf(id, authors));
  return shares.includes(0) ? 0 : shares.includes(1) ? 1 : 2;
}
