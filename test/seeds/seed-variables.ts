import { sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';
import type { SeededPlace } from './seed-place.ts';

interface Given {
  /** Applied variables of each service; every fifth refers to the service that was made before it. */
  each: number;
  /** Of all of them so many are staged to change. */
  staged: number;
  /** Only so many of the first of each service may refer: all without it. */
  referring?: number;
}

/** Variables of an environment that is there, applied and staged. */
export async function seedVariables(
  database: Database,
  { organizationId, environmentId }: SeededPlace,
  { each, staged, referring = each }: Given,
): Promise<void> {
  const keys = sql`(
    select place.service_id, service.slug, lag(service.slug) over (order by service.created_at, service.id) as before,
      row_number() over (order by service.created_at, service.id) as service_number
    from environment_service place
    join service on service.organization_id = place.organization_id and service.id = place.service_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
  ) one, generate_series(1, ${each}::int) number`;
  await sql`
    insert into variable (organization_id, environment_id, service_id, key, value, updated_by, refers)
    select ${organizationId}, ${environmentId}, service_id, concat('KEY_', number),
      case when number % 5 = 0 and number <= ${referring}::int and before is not null then concat('http://\${{', before, '.KEY_1}}/') else concat('value ', number) end, 'Ada',
      case when number % 5 = 0 and number <= ${referring}::int and before is not null then array[concat(before, '.KEY_1')] end
    from ${keys}`.execute(database.kysely);
  await sql`
    insert into change_set_item (id, organization_id, environment_id, change_set_id, service_id, kind, slot, key, label,
      from_value, to_value, staged_by_id, staged_by_name)
    select gen_random_uuid(), ${organizationId}, ${environmentId}, draft.id, service_id, 'variable.set',
      concat('variable ', service_id, ' KEY_', number), concat('KEY_', number), concat(slug, ': KEY_', number),
      to_jsonb(concat('value ', number)), to_jsonb(concat('staged ', number)), 'u', 'Ada'
    from ${keys}, draft
    where draft.organization_id = ${organizationId} and draft.environment_id = ${environmentId} and number % 5 <> 0
    order by number, service_number
    limit ${staged}`.execute(database.kysely);
  await sql`analyze variable, change_set_item`.execute(database.kysely);
}
