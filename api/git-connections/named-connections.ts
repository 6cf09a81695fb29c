import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { ServiceSource } from '../../domain/services/settings.ts';
import { sourceFaults } from '../../domain/services/source-faults.ts';
import { invalidFields } from '../engine/input/input.ts';

/** The source of a service in a request, and where it stands: `body.source`. */
export interface NamedSource {
  source: ServiceSource;
  location: string;
}

/** Refuses sources from which nothing could be built: what is wrong in itself, and connections that the organization does not have. */
export async function refuseUnfitSources(
  { kysely }: Effect,
  organizationId: string,
  named: readonly NamedSource[],
): Promise<void> {
  const faults = named.flatMap(({ source, location }) =>
    sourceFaults(source).map(({ field, message }) => ({ location: `${location}.${field}`, message })),
  );
  if (faults.length > 0) throw invalidFields(faults);
  const given = named.flatMap(({ source: { gitConnectionId: id }, location }) =>
    id === undefined ? [] : [{ id, location: `${location}.gitConnectionId` }],
  );
  if (given.length === 0) return;
  const ids = given.flatMap(({ id }) => z.guid().safeParse(id).data ?? []);
  const rows =
    ids.length === 0
      ? []
      : // Locked, so that a connection is not deleted while its first service is staged.
        await tenant(kysely, organizationId)
          .selectFrom('git_connection')
          .select('id')
          .where('id', 'in', ids)
          .forShare()
          .execute();
  const known = new Set<unknown>(rows.map(({ id }) => id));
  const message = 'is no Git connection of this organization';
  const unknown = given.flatMap(({ id: value, location }) => (known.has(value) ? [] : [{ location, message, value }]));
  if (unknown.length > 0) throw invalidFields(unknown);
}
