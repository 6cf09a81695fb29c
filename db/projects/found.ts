import { sql } from 'kysely';
import { type Finder, foundColumns, isWithin } from '../search/finder.ts';

export const foundProjects: Finder = {
  kind: 'project',
  select: (organizationId, sought) => sql`
    select ${foundColumns(sought, 'project', {
      id: sql`project.id`,
      name: sql`project.name`,
      detail: sql`project.slug`,
      place: sql`jsonb_build_object('project', project.slug)`,
    })}
    from project
    where project.organization_id = ${organizationId} and project.deletion_id is null
      and ${isWithin(sought, sql`project.id`)}`,
};
