import { sql } from 'kysely';
import type { Effect } from '../../db/engine/effect.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import type { ProjectView } from '../../db/projects/projects.ts';
import type { Settings } from '../../domain/settings/settings.ts';

/** Refuses another environment where the project has as many as the installation allows. */
export async function refuseMoreEnvironments(
  effect: Effect,
  { ENVIRONMENTS_PER_PROJECT: most }: Pick<Settings, 'ENVIRONMENTS_PER_PROJECT'>,
  { id, organizationId }: Pick<ProjectView, 'id' | 'organizationId'>,
): Promise<void> {
  await refuseBeyond(effect, {
    setting: 'ENVIRONMENTS_PER_PROJECT',
    most,
    owner: id,
    things: 'environments in this project',
    rows: sql`environment where organization_id = ${organizationId} and project_id = ${id} and deletion_id is null`,
    remedy: 'delete one that is not needed',
  });
}
