import { type Kysely, sql } from 'kysely';
import { Problem } from '../../../domain/problems.ts';
import type { Tables } from '../../postgres/tables.ts';

interface Place {
  organizationId: string;
  environmentId: string;
  serviceId: string;
}

interface Lack {
  source: { number: number; environment: string };
  target: { service: string; environment: string };
  /** Variables that the release has, and for which the target has no value. */
  missing: readonly string[];
  /** Variables of which its files are made there. */
  files: readonly string[];
  missingAccepted: boolean;
}

/**
 * Refuses a target without a value for what the release has, unless somebody accepts it. Nothing says of a variable that it is optional,
 * so each counts until a promotion without it went live; one of which a file is made always does. Answers those that were accepted.
 */
export async function refuseMissing(
  kysely: Kysely<Tables>,
  place: Place,
  { source, target, missing, files, missingAccepted }: Lack,
): Promise<string[]> {
  const where = `"${target.service}" in "${target.environment}" has no`;
  const how = 'give it with the promotion, or set it there and apply that';
  const required = missing.filter((key) => files.includes(key));
  if (required.length > 0) {
    const why = `${where} ${missingWords(required)}, of which its files are made`;
    throw new Problem('variables-missing', `${why}: ${how}.`);
  }
  const known = missing.length === 0 ? new Set() : await knownAbsent(kysely, place);
  const unknown = missing.filter((key) => !known.has(key)).toSorted();
  if (unknown.length === 0 || missingAccepted) return unknown;
  const why = `${where} ${missingWords(unknown)}, as release #${source.number} has in "${source.environment}"`;
  throw new Problem('variables-missing', `${why}: ${how}, or accept that it is missing.`, { missing: unknown });
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
function missingWords(keys: readonly string[]): string {
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format(keys);
  return `${keys.length === 1 ? 'variable' : 'variables'} ${list}`;
}
