import { type Kysely, sql } from 'kysely';
import type { ServiceSettings } from '../../../domain/services/settings.ts';
import type { Tables } from '../../postgres/tables.ts';

interface Place {
  organizationId: string;
  environmentId: string;
  serviceId: string;
}

export interface Missing {
  /** A file of the service is to have their value. */
  required: string[];
  /** The release has them, and no promoted release has served in the target without them yet. */
  unknown: string[];
}

/**
 * Variables for which a target has no value. Nothing says of a variable that it is optional, so each that the release has
 * counts as required until a promotion without it was accepted and went live.
 */
export async function missingVariables(
  kysely: Kysely<Tables>,
  place: Place,
  ofRelease: readonly string[],
  { files }: ServiceSettings,
  variables: ReadonlyMap<string, unknown>,
): Promise<Missing> {
  const required = files.map(({ variable }) => variable).filter((key) => !variables.has(key));
  const absent = ofRelease.filter((key) => !variables.has(key) && !required.includes(key));
  const known = absent.length === 0 ? new Set() : await knownAbsent(kysely, place);
  return { required: [...new Set(required)].toSorted(), unknown: absent.filter((key) => !known.has(key)).toSorted() };
}

/** Variables that releases had which were promoted and served here without them. */
async function knownAbsent(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: Place,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ key: string }>`
    select distinct key from release past
    join release origin on origin.organization_id = past.organization_id and origin.id = past.promoted_from_release_id
    cross join unnest(origin.variable_keys) as its (key)
    where past.organization_id = ${organizationId} and past.environment_id = ${environmentId}
      and past.service_id = ${serviceId} and not key = any(past.variable_keys)
      and exists (select from deployment where deployment.organization_id = past.organization_id
        and deployment.release_id = past.id and deployment.state = 'live')
  `.execute(kysely);
  return new Set(rows.map(({ key }) => key));
}

/** `variable A`, `variables A and B`. */
export function missingWords(keys: readonly string[]): string {
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format(keys);
  return `${keys.length === 1 ? 'variable' : 'variables'} ${list}`;
}
