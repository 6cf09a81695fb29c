import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { invalidFields } from '../engine/input/input.ts';

/** The projects to which something is limited. */
export const chosenProjects = z.array(z.guid().toLowerCase()).max(1000);

/** Refuses, each by its place, those that the organization does not have. */
export async function refuseOtherProjects(
  { kysely }: Pick<Effect, 'kysely'>,
  organizationId: string,
  ids: readonly string[] | null | undefined,
): Promise<void> {
  if (!ids?.length) return;
  const rows = await tenant(kysely, organizationId)
    .selectFrom('project')
    .select('id')
    .where('id', 'in', ids)
    .where('deletion_id', 'is', null)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const message = 'is not a project of this organization';
  const faults = ids.flatMap((value, index) =>
    known.has(value) ? [] : [{ location: `body.projectIds[${index}]`, message, value }],
  );
  if (faults.length > 0) throw invalidFields(faults);
}
