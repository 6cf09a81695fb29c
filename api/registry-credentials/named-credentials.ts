import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { invalidFields } from '../engine/input/input.ts';

/** The id of a credential in a request, and where it stands: `body.source.registryCredentialId`. */
export interface NamedCredential {
  id: unknown;
  location: string;
}

/** Refuses those that the organization does not have: an apply would find that out much later. */
export async function refuseOtherCredentials(
  { kysely }: Effect,
  organizationId: string,
  named: readonly NamedCredential[],
): Promise<void> {
  const given = named.filter(({ id }) => id !== undefined && id !== null);
  if (given.length === 0) return;
  const ids = given.flatMap(({ id }) => z.guid().safeParse(id).data ?? []);
  const rows =
    ids.length === 0
      ? []
      : await tenant(kysely, organizationId)
          .selectFrom('registry_credential')
          .select('id')
          .where('id', 'in', ids)
          .execute();
  const known = new Set<unknown>(rows.map(({ id }) => id));
  const message = 'is no registry credential of this organization';
  const faults = given.flatMap(({ id: value, location }) => (known.has(value) ? [] : [{ location, message, value }]));
  if (faults.length > 0) throw invalidFields(faults);
}
