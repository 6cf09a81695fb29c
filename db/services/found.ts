import { sql } from 'kysely';
import { type Finder, foundColumns, isWithin } from '../search/finder.ts';

/** Its page is of one environment: production, if it is there, else the oldest, else the one that its creation is staged in. */
const where = sql`
  select environment.slug from environment
  left join environment_service place on place.environment_id = environment.id and place.service_id = service.id
  left join draft on draft.environment_id = environment.id
  left join change_set_item creation on creation.change_set_id = draft.id and creation.service_id = service.id
    and creation.kind = 'service.create'
  where environment.organization_id = service.organization_id and environment.project_id = service.project_id
    and environment.deletion_id is null and coalesce(place.service_id, creation.service_id) is not null
  order by place.service_id is null, environment.production desc, environment.created_at limit 1`;

export const foundServices: Finder = {
  kind: 'service',
  select: (organizationId, sought) => sql`
    select ${foundColumns(sought, 'service', {
      id: sql`service.id`,
      name: sql`service.name`,
      detail: sql`project.name`,
      place: sql`jsonb_strip_nulls(
        jsonb_build_object('project', project.slug, 'service', service.slug, 'environment', (${where}))
      )`,
    })}
    from service
    join project on project.id = service.project_id and project.deletion_id is null
    where service.organization_id = ${organizationId} and service.deletion_id is null
      and ${isWithin(sought, sql`service.project_id`)}`,
};
