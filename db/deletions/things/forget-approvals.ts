import { type RawBuilder, sql } from 'kysely';
import type { Effect } from '../../engine/effect.ts';
import { type ThingToPurge, tableOfThing } from './thing-row.ts';

/**
 * Approvals outlive a service that they were about together with others, or whose changes alone they showed: who decided
 * what stays known, and what they showed of the service goes.
 */
export async function forgetInApprovals({ kysely }: Effect, { organizationId, kind, id }: ThingToPurge): Promise<void> {
  if (tableOfThing[kind] !== 'service') return;
  const diff = without(sql`diff`, 'serviceId', id);
  const releases = without(sql`target -> 'releases'`, 'serviceId', id);
  const [services, removed, downtime] = ['services', 'removed', 'downtime'].map((name) =>
    without(sql`impact -> ${name}::text`, 'id', id),
  );
  // One that waits relies on values of the service, too, where its own refer to them.
  const references = sql`(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(basis -> 'references')
    where position(${id} in key) = 0)`;
  await sql`
    update approval set basis = case when decision is not null then '{}' when basis ? 'references'
        then jsonb_set(basis - ${id}::text, '{references}', ${references}) else basis - ${id}::text end, diff = ${diff},
      target = jsonb_set(target, '{releases}', ${releases}),
      impact = impact || jsonb_build_object('services', ${services}, 'removed', ${removed}, 'downtime', ${downtime})
    where organization_id = ${organizationId}
      and project_id = (select project_id from service where organization_id = ${organizationId} and id = ${id})
      and position(${id} in concat(basis, diff, impact, target)) > 0
  `.execute(kysely);
}

/** A list without what is of the service. */
function without(list: RawBuilder<unknown>, field: string, id: string): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(one order by place), '[]')
    from jsonb_array_elements(coalesce(${list}, '[]')) with ordinality as each (one, place)
    where one ->> ${field}::text is distinct from ${id}::text)`;
}
