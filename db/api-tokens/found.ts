import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';

export const foundTokens: Finder = {
  kind: 'token',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'token', { id: sql`api_token.id`, name: sql`api_token.name` })}
    from api_token where api_token.organization_id = ${organizationId}`,
};
