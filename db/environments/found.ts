import { sql } from 'kysely';
import { type Finder, foundColumns, isWithin } from '../search/finder.ts';

export const foundEnvironments: Finder = {
  kind: 'environment',
  select: (organizationId, sought) => sql`
    select ${foundColumns(sought, 'environment', {
      id: sql`environment.id`,
      name: sql`environment.name`,
      detail: sql`project.name`,
      place: sql`jsonb_build_object('project', project.slug, 'environment', environment.slug)`,
    })}
    from environment
    join project on project.id = environment.project_id and project.deletion_id is null
    where environment.organization_id = ${organizationId} and environment.deletion_id is null
      and ${isWithin(sought, sql`environment.project_id`)}`,
};
