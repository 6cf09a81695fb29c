import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';

export const foundTeams: Finder = {
  kind: 'team',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'team', { id: sql`team.id`, name: sql`team.name` })}
    from team where team.organization_id = ${organizationId}`,
};
