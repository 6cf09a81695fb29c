import { mayActAs, type Role, roles, type TokenRole } from '../roles.ts';

/**
 * Guards of production that an admin may loosen at once: that an environment is one of production, that a service needs
 * approvals there, which CI jobs are let in and as what, and who decides.
 */
export const guards = ['production', 'skip-approval', 'trusted-issuer', 'role'] as const;
type Guard = (typeof guards)[number];

/** Whom a trusted issuer lets in, and with what. */
export interface TrustedJobs {
  issuer: string;
  audience: string;
  claims: Record<string, string[]>;
  role: TokenRole;
  /** Null: not limited to projects. */
  projectIds: string[] | null;
}

/** Null: there was no such issuer or member before, or there is none any more. */
export type GuardChange =
  | { guard: 'production'; before: boolean; after: boolean }
  | { guard: 'skip-approval'; before: boolean; after: boolean }
  | { guard: 'trusted-issuer'; before: TrustedJobs | null; after: TrustedJobs | null }
  | { guard: 'role'; before: Role | null; after: Role | null };

/** So long the first page shows a guard that was loosened, with what was deployed meanwhile. */
export const looseningDays = 7;

export function isLoosened(change: GuardChange): boolean {
  switch (change.guard) {
    case 'production':
      return change.before && !change.after;
    case 'skip-approval':
      return !change.before && change.after;
    case 'trusted-issuer':
      return change.after !== null && (change.before === null || isWidened(change.before, change.after));
    case 'role':
      return change.after !== null && mayActAs(change.after, 'admin') && isHigher(change.after, change.before);
  }
}

function isHigher(role: Role, than: Role | null): boolean {
  return than === null || roles.indexOf(role) > roles.indexOf(than);
}

/** Other jobs, more of them, or a job with more rights: all but what is certainly narrower. */
function isWidened(before: TrustedJobs, after: TrustedJobs): boolean {
  if (before.issuer !== after.issuer || before.audience !== after.audience) return true;
  if (isHigher(after.role, before.role)) return true;
  if (!isWithin(after.projectIds, before.projectIds)) return true;
  return Object.entries(before.claims).some(([claim, patterns]) => !isWithin(after.claims[claim] ?? null, patterns));
}

/** Null is everything. */
function isWithin(some: readonly string[] | null, all: readonly string[] | null): boolean {
  if (all === null) return true;
  return some?.every((one) => all.includes(one)) ?? false;
}

/** A guard that was loosened, as people are told of it. */
export interface LoosenedGuard {
  guard: Guard;
  /** Of the environment, the service, the trusted issuer or the person. */
  name: string;
  /** Empty where the guard is of no project. */
  project: string;
  before: unknown;
  after: unknown;
}

/** "Production of Shop is not marked as production any more" */
export function loosenedTitle({ guard, name, project, before, after }: LoosenedGuard): string {
  switch (guard) {
    case 'production':
      return `${name} of ${project} is not marked as production any more`;
    case 'skip-approval':
      return `${name} of ${project} needs no approvals in production any more`;
    case 'trusted-issuer': {
      const done = before === null ? 'was created' : 'was widened';
      return `The trusted issuer ${name} ${done}: its CI jobs have the role ${(after as TrustedJobs).role}`;
    }
    case 'role':
      return `${name} ${before === null ? 'joined as' : 'is now'} ${after as Role}, a role that decides approvals`;
  }
}
