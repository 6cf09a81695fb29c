import type { Role } from '../roles.ts';
import type { Guard, TrustedJobs } from './guards.ts';

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
