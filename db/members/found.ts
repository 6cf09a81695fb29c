import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';

export const foundMembers: Finder = {
  kind: 'member',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'member', {
      id: sql`app_user.id`,
      name: sql`app_user.name`,
      detail: sql`app_user.email`,
    })}
    from membership join app_user on app_user.id = membership.user_id
    where membership.organization_id = ${organizationId}`,
};
