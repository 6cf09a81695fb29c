import { sql } from 'kysely';
import { type Finder, foundColumns, isWithin } from '../search/finder.ts';

export const foundServices: Finder = {
  kind: 'service',
  select: (organizationId, sought) => sql`
    select ${foundColumns(sought, 'service', {
      id: sql`service.id`,
      name: sql`service.name`,
      detail: sql`project.name`,
      place: sql`jsonb_build_object('project', project.slug, 'service', service.slug)`,
    })}
    from service
    join project on project.id = service.project_id and project.deletion_id is null
    where service.organization_id = ${organizationId} and service.deletion_id is null
      and ${isWithin(sought, sql`service.project_id`)}`,
};
