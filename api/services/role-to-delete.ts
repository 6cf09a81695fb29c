import type { DeletionImpact } from '../../db/services/removal/impact.ts';
import type { Role } from '../../domain/roles.ts';

/** Deployers create and delete services; one that production has is for admins. */
export function roleToDelete({ environments }: Pick<DeletionImpact, 'environments'>): Role {
  return environments.some(({ production }) => production) ? 'admin' : 'deployer';
}
